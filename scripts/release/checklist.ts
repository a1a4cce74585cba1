import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE_ENDS, RECOMMENDED_NODE } from '../../src/cli/doctor/node-releases.ts'

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

const RELEASED = 'test/fixtures/released'
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
const git = ({ root }: Release, ...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const versionOf = (release: Release): string => JSON.parse(read(release, 'package.json')).version

function unclean(release: Release): Problem {
  const changes = git(release, 'status', '--porcelain')
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
  return git(release, 'tag', '--list', tag) === ''
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
    ? ['there are entries under Unreleased', 'move them below the heading of the version']
    : undefined
}

/** A pinned file is never edited again; see test/house/migrations.test.ts. */
function unpinned(release: Release): Problem {
  const pinned: Record<string, string> = JSON.parse(read(release, `${RELEASED}/migrations.json`))
  const names = readdirSync(join(release.root, 'migrations')).filter((name) => /^\d/.test(name))
  const missing = names.filter((name) => {
    const digest = createHash('sha256')
      .update(read(release, `migrations/${name}`))
      .digest('hex')
    return pinned[name] !== digest
  })
  if (missing.length === 0) return undefined
  return [`${missing.length} are not, beginning with ${missing[0]}`, 'npm run keep-released']
}

/** What the next version is compared with must come from this one, so nothing may change after it was written. */
function notKept(release: Release): Problem {
  const kept = git(release, 'log', '-1', '--format=%H', '--', `${RELEASED}/statements.json`)
  const later = git(release, 'log', '--format=%h %s', `${kept}..HEAD`, '--', 'src', 'migrations')
  if (later !== '') {
    return [
      `src changed since:\n${later.split('\n').slice(0, 3).join('\n')}`,
      'npm run keep-released',
    ]
  }
  const schemas = ['schema.graphql', 'schema.older.graphql'].filter(
    (name) =>
      read(release, `${RELEASED}/${name}`) !== read(release, `src/surfaces/member-api/${name}`),
  )
  return schemas.length === 0 ? undefined : [`${schemas} differ`, 'npm run keep-released']
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
const UNWANTED = /\.test\.|\.tsbuildinfo$|\.sources$|\.env$(?<!example\.env)/

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
