"""What tools/lab/measure-cluster-hosts does: hosts on one machine, Ray on them, load, drills."""
