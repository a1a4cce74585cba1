import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE_ENDS, RECOMMENDED_NODE } from '../../src/cli/doctor/check-installation.ts'
import { git, migrationDigests, RELEASED, SCHEMAS, SCHEMAS_OF, sourceTrees } from './kept.ts'

export interface ReleaseStep {
  readonly name: string
  readonly problem?: string | undefined
  readonly remedy?: string | undefined
}

interface Release {
  readonly root: string
  readonly today: Date
  /** The paths in the package that npm would make. */
  readonly packed: readonly string[]
}

type Problem = readonly [problem: string, remedy: string] | undefined

const KEEP = `when nothing changes any more: npm run keep-released, then commit ${RELEASED}`
/** A Node that ends sooner after a release is a bad recommendation. */
const NODE_DAYS = 90

/** What must be true before a version is tagged, each with what to do if it is not. */
export function checklist(release: Release): readonly ReleaseStep[] {
  const steps: readonly (readonly [name: string, find: (release: Release) => Problem])[] = [
    ['the working tree is clean', unclean],
    ['package.json and package-lock.json have the same version', versions],
    ['the version has no tag yet', tagged],
    ['the changelog has a heading for the version, and nothing that is unreleased', changelog],
    ['the migrations of the release are pinned', unpinned],
    ['the statements and schemas of the release are kept', notKept],
    ['the package has what it needs, and nothing else', contents],
    ['the recommended Node is maintained for a while', node],
  ]
  return steps.map(([name, find]) => {
    const [problem, remedy] = find(release) ?? []
    return { name, problem, remedy }
  })
}

const read = ({ root }: Release, path: string): string => readFileSync(join(root, path), 'utf8')
const versionOf = (release: Release): string => JSON.parse(read(release, 'package.json')).version

function unclean(release: Release): Problem {
  const changes = git(release.root, 'status', '--porcelain')
  return changes === '' ? undefined : [`there are changes:\n${changes}`, 'commit or remove them']
}

function versions(release: Release): Problem {
  const version = versionOf(release)
  const lock = JSON.parse(read(release, 'package-lock.json'))
  if (!/^\d+\.\d+\.\d+$/.test(version)) return [`"${version}" is no version`, 'use 1.2.3']
  const others = [lock.version, lock.packages[''].version].filter((other) => other !== version)
  if (others.length === 0) return undefined
  return [`${version} and ${others[0]}`, `npm version ${version} --no-git-tag-version`]
}

function tagged(release: Release): Problem {
  const tag = `v${versionOf(release)}`
  return git(release.root, 'tag', '--list', tag) === ''
    ? undefined
    : [`${tag} is there`, 'choose the next version: a released one never changes']
}

function changelog(release: Release): Problem {
  const version = versionOf(release)
  const text = read(release, 'CHANGELOG.md')
  const sections = text.split(/^## /m).slice(1)
  const headings = sections.map((section) => section.split('\n')[0] ?? '')
  const [newest] = headings.filter((heading) => heading !== 'Unreleased')
  const isDated = /^ - \d{4}-\d\d-\d\d$/.test(newest?.slice(version.length) ?? '')
  if (newest?.startsWith(version) !== true || !isDated) {
    return [
      `the newest heading is "${newest}"`,
      `put "## ${version} - ${release.today.toISOString().slice(0, 10)}" above the entries`,
    ]
  }
  const unreleased = sections[headings.indexOf('Unreleased')] ?? ''
  return /^- /m.test(unreleased)
    ? [
        'there are entries under Unreleased',
        `move them below "## ${newest}", and give that heading the day of the release`,
      ]
    : undefined
}

function unpinned(release: Release): Problem {
  const pinned: Record<string, string> = JSON.parse(read(release, `${RELEASED}/migrations.json`))
  const missing = Object.entries(migrationDigests(release.root)).filter(
    ([name, digest]) => pinned[name] !== digest,
  )
  if (missing.length === 0) return undefined
  return [`${missing.length} are not, beginning with ${missing[0]?.[0]}`, KEEP]
}

/**
 * What the next version is compared with must come from this one, so nothing may change after it
 * was written.
 */
function notKept(release: Release): Problem {
  const kept: Record<string, string> = JSON.parse(read(release, `${RELEASED}/sources.json`))
  const changed = Object.entries(sourceTrees(release.root)).flatMap(([folder, tree]) =>
    kept[folder] === tree ? [] : folder,
  )
  if (changed.length > 0) return [`${changed.join(' and ')} changed since`, KEEP]
  const schemas = SCHEMAS.filter(
    (name) => read(release, `${RELEASED}/${name}`) !== read(release, `${SCHEMAS_OF}/${name}`),
  )
  return schemas.length === 0 ? undefined : [`${schemas} differ`, KEEP]
}

const NEEDED = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'assets/explorer/vendor/graphiql.min.js',
  'bin/schoolgate.mjs',
  'deploy/schoolgate.service',
  'dist/main.js',
  'docs/guides/install.md',
  'docs/operations.md',
  'package.json',
] as const
const ALLOWED =
  /^(?:bin\/|dist\/|migrations\/|assets\/|deploy\/|docs\/(?:guides\/)?[\w-]+\.md$|[A-Z]+(?:\.md)?$|package\.json$)/
const UNWANTED = /\.test\.|\.sources$|\.env$(?<!example\.env)/

function contents({ packed, root }: Release): Problem {
  const migrations = readdirSync(join(root, 'migrations')).map((name) => `migrations/${name}`)
  const missing = [...NEEDED, ...migrations].filter((path) => !packed.includes(path))
  if (missing.length > 0) return [`it lacks ${missing.slice(0, 5).join(', ')}`, 'npm run build']
  const more = packed.filter((path) => !ALLOWED.test(path) || UNWANTED.test(path))
  return more.length === 0
    ? undefined
    : [`it has ${more.slice(0, 5).join(', ')}`, 'correct "files" in package.json']
}

function node({ today }: Release): Problem {
  const end = Date.parse(NODE_ENDS[RECOMMENDED_NODE] ?? '')
  const days = Math.floor((end - today.getTime()) / 86_400_000)
  return days >= NODE_DAYS
    ? undefined
    : [`Node ${RECOMMENDED_NODE} ends in ${days} days`, 'recommend the next one, everywhere']
}
