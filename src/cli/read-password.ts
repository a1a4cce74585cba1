import type { Readable } from 'node:stream'
import {
  findPasswordProblem,
  MIN_PASSWORD_LENGTH,
  type PasswordContext,
  type PasswordProblem,
} from '../domain/people/password-strength.ts'
import { MAX_PASSWORD_BYTES } from '../foundation/crypto/password.ts'
import { COMMAND } from '../foundation/text/command-name.ts'
import { CommandError } from './outcome.ts'

const WORDS: Readonly<Record<PasswordProblem, string>> = {
  too_short: `has fewer than ${MIN_PASSWORD_LENGTH} characters`,
  too_long: `has more than ${MAX_PASSWORD_BYTES} bytes`,
  repeated: 'repeats a short text',
  common: 'is one of the passwords that are guessed first, or like one of them',
  personal: 'is made of the name, the email address or the school’s name',
}

/**
 * Reads a password from a pipe. Never from the command line, where every user of the machine can
 * read it in the list of processes and the shell keeps it in its history.
 */
export async function readPassword(input: Readable, about: PasswordContext): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk))
    length += chunks.at(-1)?.length ?? 0
    if (length > MAX_PASSWORD_BYTES + 2) break
  }
  const password = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  const problem = await findPasswordProblem(password, about)
  if (problem === undefined) return password
  throw new CommandError(
    `The password on stdin cannot be used: it ${WORDS[problem]}.`,
    `pipe another one in, such as: printf '%s' "$PASSWORD" | ${COMMAND} user … --password-stdin`,
    2,
  )
}
