import type { Readable } from 'node:stream'
import {
  findPasswordProblem,
  MIN_PASSWORD_LENGTH,
  type PasswordProblem,
} from '../domain/people/password-rule.ts'
import { MAX_PASSWORD_BYTES } from '../foundation/crypto/password.ts'
import { CommandError } from './outcome.ts'

const WORDS: Readonly<Record<PasswordProblem, string>> = {
  too_short: `has fewer than ${MIN_PASSWORD_LENGTH} characters`,
  too_long: `has more than ${MAX_PASSWORD_BYTES} bytes`,
  same_as_email: 'is the email address',
}

/**
 * Reads a password from a pipe. Never from the command line, where every user of the machine can
 * read it in the list of processes and the shell keeps it in its history.
 */
export async function readPassword(input: Readable, email: string): Promise<string> {
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
  const problem = findPasswordProblem(password, email)
  if (problem === undefined) return password
  throw new CommandError(
    `The password on stdin cannot be used: it ${WORDS[problem]}.`,
    'pipe another one in, such as: printf \'%s\' "$PASSWORD" | npx schoolgate user create … --password-stdin',
    2,
  )
}
