/**
 * Passwords that attackers try first: those of zxcvbn-ts, found in leaks, in lower case. Loaded when a person first
 * chooses a password, because most processes never need the list.
 */
let list: Promise<ReadonlySet<string>> | undefined

export function commonPasswords(): Promise<ReadonlySet<string>> {
  list ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set<string>(dictionary['passwords-common']),
  )
  return list
}
