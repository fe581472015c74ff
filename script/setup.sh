# shellcheck shell=sh
# What script/server and script/test share. Sourced by them in the checkout's top folder.

die() {
    echo "$1" >&2
    exit 1
}

# Whether the program $1 is a Python that will do: 3.11, or 3.$oldest where the caller has set that.
is_new_enough() {
    "$1" -c "import sys; sys.exit(sys.version_info < (3, ${oldest:-11}))" 2>/dev/null
}

# Print the first usable Python; where there is none, uv may fetch one, else say what is missing.
find_python() {
    for name in python3 python3.13 python3.12 python3.11 python; do
        if is_new_enough "$name"; then
            command -v "$name"
            return
        fi
    done
    if command -v uv >/dev/null; then
        echo '>=3.11'
        return
    fi
    found=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || found=none
    die "Python 3.11 or newer is needed, and here is $found. Install one (or uv, which fetches one), then run this again."
}

# make_environment FOLDER [PYTHON]: a working virtual environment, unless it is there already.
make_environment() {
    if is_new_enough "$1/bin/python" && {
        command -v uv >/dev/null || "$1/bin/python" -c 'import pip' 2>/dev/null
    }; then
        return
    fi
    if [ -e "$1/pyvenv.cfg" ]; then
        rm -rf "$1" # it was made by a Python that has gone, or was not finished
    fi
    python=${2:-}
    if [ -z "$python" ]; then
        python=$(find_python) || exit 1
    fi
    if command -v uv >/dev/null; then
        uv venv --quiet --python "$python" "$1"
        return
    fi
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        die "This Python lacks its venv module. On Debian and Ubuntu: sudo apt install $package, then run this again."
    fi
    "$python" -m venv "$1"
}

# install FOLDER REQUIREMENTS [INSTEAD]: the locked packages, unless this was done before. INSTEAD,
# as in django~=6.1.0, takes the place of the locked release.
install() {
    environment=$1 requirements=$2 instead=${3:-}
    stamp=$environment/installed-$(basename "$requirements")
    wanted="$instead $(cat requirements*.txt "$requirements" requirements.lock | cksum)"
    if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    echo "Installing the packages of $requirements into $environment; this is done once and may take a minute."
    grep -v "^${instead%%[~=<>]*}==" requirements.lock >"$environment/constraints"
    if command -v uv >/dev/null; then
        uv pip install --quiet --python "$environment/bin/python" \
            --constraints "$environment/constraints" --requirements "$requirements" ${instead:+"$instead"}
    else
        "$environment/bin/python" -m pip install -qq --disable-pip-version-check \
            --constraint "$environment/constraints" --requirement "$requirements" ${instead:+"$instead"}
    fi || die "The packages could not be installed; the lines above say why."
    echo "$wanted" >"$stamp"
}
