/**
 * Passwords that attackers try first, with their ranks: those of zxcvbn-ts, found in leaks, in lower case. Loaded when a
 * person first chooses a password, because most processes never need the list.
 */
let list: Promise<ReadonlyMap<string, number>> | undefined

export function commonPasswords(): Promise<ReadonlyMap<string, number>> {
  list ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) =>
      new Map(dictionary['passwords-common'].map((password, index) => [password, index + 1])),
  )
  return list
}
