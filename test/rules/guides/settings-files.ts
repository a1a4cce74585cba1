import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { find } from '../../outages/machine/needs.ts'

/** Words that may begin a line of a Caddyfile of ours; the program itself knows the rest. */
const CADDY_WORDS =
  /^(?:[a-z.]+\.example(?:, [a-z.]+\.example)*|https:\/\/|@\w+|[a-z_]+|#.*|\}|)(?:\s.*)?$/

export function caddyProblems(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return [
    ...(count(text, '{') === count(text, '}') ? [] : ['its braces do not match']),
    ...lines.filter((line) => line !== '{' && !CADDY_WORDS.test(line)),
    ...judgedBy('caddy', text, (file) => ['adapt', '--config', file, '--adapter', 'caddyfile']),
  ]
}

/** Every statement ends with a semicolon, or opens or closes a group. */
export function nginxProblems(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim())
  return [
    ...(count(text, '{') === count(text, '}') ? [] : ['its braces do not match']),
    ...lines.filter((line) => line !== '' && !/[;{}]$/.test(line)),
  ]
}

/**
 * Sections at the margin, everything else below one. The program gets time-outs, which a part of a
 * file lacks.
 */
export function haproxyProblems(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const sections = /^(?:global|defaults|frontend \w+|backend \w+|listen \w+)$/
  // Its certificates are on another machine.
  const local = text.replaceAll(/ ssl crt \S+/g, '')
  const whole = text.includes('timeout client')
    ? local
    : `defaults\n  timeout connect 2s\n  timeout client 1h\n  timeout server 1h\n${local}`
  return [
    ...lines.filter((line) => !line.startsWith('  ') && !sections.test(line)),
    ...judgedBy('haproxy', whole, (file) => ['-c', '-f', file]),
  ]
}

const count = (text: string, sign: string): number => text.split(sign).length

/** What the program says against the text; nothing where it is not installed. */
function judgedBy(name: string, text: string, argv: (file: string) => string[]): string[] {
  const program = find(name)
  if (program === undefined) return []
  const folder = mkdtempSync(join(tmpdir(), 'schoolgate-guide-'))
  try {
    const file = join(folder, 'settings')
    writeFileSync(file, text)
    const { status, stderr } = spawnSync(program, argv(file), { encoding: 'utf8' })
    return status === 0 ? [] : [stderr]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
