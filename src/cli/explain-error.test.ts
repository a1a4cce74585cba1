import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { explainError } from './explain-error.ts'

const NOWHERE = '/nowhere/at-all'

test('a socket that is missing is about the database, a file that is missing is not', async () => {
  const socket = await new Promise((resolve) => connect(NOWHERE).once('error', resolve))
  expect(explainError(socket, {}).error).toContain('The socket is not there')
  const file = await readFile(NOWHERE).catch((error: unknown) => error)
  expect(explainError(file, {}).error).toContain(NOWHERE)
})
