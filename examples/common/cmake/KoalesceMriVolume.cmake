# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Koalesce_MRI_VOLUME, which examples read by default: of Debian's package mricron-data, or the user's own.

find_file(Koalesce_MRI_VOLUME ch2better.nii.gz PATH_SUFFIXES share/mricron/templates DOC "MRI volume for the demo")
mark_as_advanced(Koalesce_MRI_VOLUME)
