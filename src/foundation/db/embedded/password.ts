import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { withFileErrors } from './embedded-postgres-error.ts'
import { findText, writeOnce } from './write-once.ts'

const PASSWORD_FILE = 'postgresql-password'

/** A password is needed because the socket may belong to "nobody", and other programs run as that user too. */
export async function loadPassword(dataDir: string): Promise<{ password: string; isNew: boolean }> {
  const kept = await findPassword(dataDir)
  if (kept !== undefined) return { password: kept, isNew: false }
  const made = randomBytes(24).toString('base64url')
  const standing = await withFileErrors(dataDir, () =>
    writeOnce(join(dataDir, PASSWORD_FILE), `${made}\n`),
  )
  return { password: standing.trim(), isNew: true }
}

export async function findPassword(dataDir: string): Promise<string | undefined> {
  return (await findText(join(dataDir, PASSWORD_FILE)))?.trim()
}
