import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the next version is compared with. */
export const RELEASED = 'test/fixtures/released'
export const SCHEMAS = ['schema.graphql', 'schema.older.graphql'] as const
export const SCHEMAS_OF = 'src/surfaces/member-api'

export const git = (root: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

/** A pinned file is never edited again; see test/rules/migrations.test.ts. */
export function migrationDigests(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(join(root, 'migrations')).filter((name) => /^\d/.test(name))
  const digests = names.sort().map((name) => {
    const sql = readFileSync(join(root, 'migrations', name))
    return [name, createHash('sha256').update(sql).digest('hex')]
  })
  return Object.fromEntries(digests)
}

/**
 * The committed sources as git names them: the statements of a release are those of exactly these.
 */
export function sourceTrees(root: string): Readonly<Record<string, string>> {
  return {
    src: git(root, 'rev-parse', 'HEAD:src'),
    migrations: git(root, 'rev-parse', 'HEAD:migrations'),
  }
}
