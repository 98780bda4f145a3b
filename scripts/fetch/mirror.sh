# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # for those who source it, after lib.sh
# Debian's mirror, which the machine's own apt configuration names and nobody changes.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -r $keyring ]] ||
	die "$CANNOT" "Debian's keyring $keyring is not here" "run: apt-get install debian-archive-keyring"
need_command kernel apt-get

# archive_of SUITE: the line of a list of sources for it, with all that is signed by the keyring
archive_of()
{
	local codename uri
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	# shellcheck disable=SC2016 # apt fills these in
	uri=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' \
		'Created-By: Packages' 'Component: main' "Release: $codename" |
		awk '$2 == "" || $2 == "Debian" { print $1; exit }')
	[[ $uri ]] || die "$CANNOT" "apt knows no Debian mirror for '$codename' on this machine" \
		"this needs Debian with its main archive among apt's sources"
	echo "deb [signed-by=$keyring] $uri $1 main"
}
