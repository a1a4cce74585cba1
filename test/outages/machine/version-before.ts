import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NotPossible } from '../scenario.ts'
import type { Place } from './place.ts'

const ROOT = new URL('../../../', import.meta.url).pathname

/**
 * A build of the last version with an older schema, with the libraries of the present one. Not
 * 0.1.0, which does not serve on a newer schema. `OUTAGE_VERSION_BEFORE` names another commit.
 */
export async function buildOfVersionBefore(place: Place): Promise<{
  readonly root: string
  readonly description: string
}> {
  const run = promisify(execFile)
  const git = async (...args: readonly string[]) =>
    (await run('git', [...args], { cwd: ROOT })).stdout.trim()
  const named = process.env.OUTAGE_VERSION_BEFORE ?? `${await newestMigration(git)}^`
  const commit = await git('rev-parse', '--verify', named).catch(() => {
    throw new NotPossible('the history of this checkout has no version before')
  })
  const root = join(place.folder, 'before')
  await mkdir(root)
  const archive = join(place.folder, 'before.tar')
  await git('archive', '--format=tar', '-o', archive, commit)
  await run('tar', ['-xf', archive, '-C', root])
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  await run(process.execPath, ['scripts/build.mjs'], { cwd: root })
  return { root, description: `commit ${commit.slice(0, 10)}, the last one with an older schema` }
}

/** The commit that brought it. */
const newestMigration = (git: (...args: readonly string[]) => Promise<string>) =>
  git('log', '-1', '--format=%H', '--diff-filter=A', '--', 'migrations/0*.sql').catch(() => '')
