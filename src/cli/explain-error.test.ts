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

test('too many open files names the limit and how to raise it', () => {
  const error = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
  const { error: said, remedy } = explainError(error, {})
  expect(said).toMatch(/^There are too many open files: the limit is \d+\.$/)
  expect(remedy).toContain('LimitNOFILE=')
})
