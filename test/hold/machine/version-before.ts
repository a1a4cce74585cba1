import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NotPossible } from '../scenario.ts'
import type { Place } from './place.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
/** The version that wrote this file is the one that may still serve beside the present one. */
const KEPT_STATEMENTS = 'test/fixtures/released/statements.json'

/** A build of the version before: from its commit, with the libraries of the present one. */
export async function buildOfVersionBefore(place: Place): Promise<{
  readonly root: string
  readonly description: string
}> {
  const run = promisify(execFile)
  const git = async (...args: readonly string[]) =>
    (await run('git', [...args], { cwd: ROOT })).stdout.trim()
  const commit = await git('log', '-1', '--format=%H', '--', KEPT_STATEMENTS).catch(() => '')
  if (commit === '') throw new NotPossible('the history of this checkout has no version before')
  const root = join(place.folder, 'before')
  await mkdir(root)
  const archive = join(place.folder, 'before.tar')
  await git('archive', '--format=tar', '-o', archive, commit)
  await run('tar', ['-xf', archive, '-C', root])
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  await run(process.execPath, ['scripts/copy-explorer.mjs'], { cwd: root })
  await run(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'],
    { cwd: root },
  )
  return { root, description: `built from commit ${commit.slice(0, 10)}` }
}
