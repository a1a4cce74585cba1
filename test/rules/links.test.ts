import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/**
 * The first is written by `npm run generate`, and not kept; the second belongs to another project.
 */
const ELSEWHERE = ['docs/openapi.json', 'docs/discovery.md']

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

function tracked(...patterns: string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...patterns], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return listed.split('\n').filter((path) => path !== '' && existsSync(join(ROOT, path)))
}

/** As GitHub names the anchor of a heading. */
function anchorsOf(path: string): string[] {
  return [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function isBroken(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(ROOT, file))) return true
  return anchor !== undefined && !anchorsOf(file).includes(anchor)
}

test('every link of a page leads to a file, and to a heading that it has', () => {
  // The guides in assets/ are pages of a school, whose links its tests follow.
  const pages = tracked('*.md').filter((page) => !page.startsWith('assets/'))
  expect(pages.length).toBeGreaterThan(30)
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => isBroken(page, target))
      .map((target) => `${page}: ${target}`),
  )
  expect(broken).toEqual([])
})

test('every page that a message, a comment or a setting names exists', () => {
  const files = tracked('src', 'deploy', 'migrations', 'test', 'scripts', '*.md', '*.yaml').filter(
    (file) => file !== 'CHANGELOG.md',
  )
  const missing = files.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w/-])docs\/[\w/-]+\.(?:md|json)/g)]
      .map(([path]) => path)
      .filter((path) => !ELSEWHERE.includes(path) && !existsSync(join(ROOT, path)))
      .map((path) => `${file}: ${path}`),
  )
  expect(missing).toEqual([])
})
