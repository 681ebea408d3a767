// Where the tabs scroll sideways, the one that one is on is in sight.
document.querySelector(".admin-head nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
