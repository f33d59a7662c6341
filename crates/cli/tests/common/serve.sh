# The ticket system in three processes, each started again when it ends:
#   serve.sh --port PORT --provider-port PORT --data FOLDER
# The pid of each lies in NAME.pid. What else the worker and the provider are
# told comes in WORKER and PROVIDER.
keep() {
    name=$1
    shift
    while :; do
        doorclock target tickets "$@" &
        echo $! >"$name.new" && mv "$name.new" "$name.pid"
        wait $!
        # One that cannot start is not tried a thousand times a second.
        sleep 0.1
    done
}
keep provider provider --provider-port "$4" --provider-speed 60 $PROVIDER &
keep worker worker --provider "http://127.0.0.1:$4" --data "$6" --lease 500ms $WORKER &
keep api api --port "$2" --data "$6" --customer-burst 100000
