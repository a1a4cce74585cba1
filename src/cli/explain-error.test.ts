import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { migrate } from '../foundation/db/migration/migrate.ts'
import { explainError } from './explain-error.ts'

const NOWHERE = '/nowhere/at-all'

test('a socket that is missing is about the database, a file that is missing is not', async () => {
  const socket = await migrate({ host: NOWHERE }).catch((error: unknown) => error)
  expect(explainError(socket, {}).error).toContain('The socket is not there')
  const file = await readFile(NOWHERE).catch((error: unknown) => error)
  expect(explainError(file, {}).error).toContain(NOWHERE)
})

test.each(['ECONNRESET', 'EPIPE', 'ECONNREFUSED'])(
  '%s of something else, such as S3 or a closed pipe, is not reported as the database being away',
  (code) => {
    const error = Object.assign(new Error('from elsewhere'), { code })
    expect(explainError(error, {}).error).toBe('This should not have happened: from elsewhere')
  },
)
