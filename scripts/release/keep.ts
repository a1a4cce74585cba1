import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, migrationDigests, RELEASED, SCHEMAS, SCHEMAS_OF, sourceTrees } from './kept.ts'

/** These send every statement of the server. */
const COLLECTING = ['test/db/plans', 'test/operators/purge.test.ts', 'test/import-export']

/** Keeps the statements, schemas and migrations of the last commit; returns the exit code. */
export function keep(root: string): number {
  const changes = git(root, 'status', '--porcelain')
  if (changes !== '') {
    console.error(
      `What is kept belongs to a commit, and there are changes:\n${changes}\n→ commit or remove them`,
    )
    return 1
  }
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(root, RELEASED, name), `${JSON.stringify(value, null, 2)}\n`)
  write('migrations.json', migrationDigests(root))
  for (const name of SCHEMAS) copyFileSync(join(root, SCHEMAS_OF, name), join(root, RELEASED, name))
  write('statements.json', [])
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--no-file-parallelism', ...COLLECTING],
    { cwd: root, env: { ...process.env, KEEP_STATEMENTS: '1' }, stdio: 'inherit' },
  )
  if (status !== 0) {
    console.error(
      `The tests failed, so statements are missing.\n→ git checkout ${RELEASED}, correct them, and keep again`,
    )
    return 1
  }
  write('sources.json', sourceTrees(root))
  console.log(`Kept.\n→ git add ${RELEASED} && git commit`)
  return 0
}
