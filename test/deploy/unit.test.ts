import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { variables } from '../../src/variables.ts'

const path = fileURLToPath(new URL('../../deploy/schoolgate.service', import.meta.url))
const settings = readFileSync(path, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !/^[#[]/.test(line))
  .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
const of = (name: string) => settings.filter(([known]) => known === name).map(([, value]) => value)
/** Of 100; half of what systemd calls well protected. */
const EXPOSURE = '20'

test('every line of the unit is a setting with a name', () => {
  for (const [name] of settings) expect(name).toMatch(/^[A-Z][A-Za-z]+$/)
})

test('the unit runs the server as a user of its own, which can write only its data folder', () => {
  expect(of('User')).toEqual(['schoolgate'])
  expect(of('ProtectSystem')).toEqual(['strict'])
  expect(of('StateDirectory')).toEqual(['schoolgate'])
  expect(of('NoNewPrivileges')).toEqual(['yes'])
  expect(of('CapabilityBoundingSet')).toEqual([''])
})

test('a stop lets requests finish before PostgreSQL ends', () => {
  expect(of('KillMode')).toEqual(['mixed'])
  expect(Number(of('TimeoutStopSec')[0])).toBeGreaterThan(
    Number(variables.SHUTDOWN_TIMEOUT_SECONDS.fallback) + 15,
  )
})

test('the variables that it sets are known', () => {
  const names = of('Environment').flatMap((line) => line.match(/\w+(?==)/g) ?? [])
  expect(names).toEqual(['NODE_ENV', 'SCHOOLGATE_DATA_DIR'])
  for (const name of names) expect(Object.keys(variables)).toContain(name)
})

test('systemd, where it is installed, understands every line and finds it well protected', () => {
  const analyze = (...args: string[]) =>
    spawnSync('systemd-analyze', [...args, path], { encoding: 'utf8' })
  const verified = analyze('verify', '--man=no')
  if (verified.error !== undefined) {
    // No systemd on this machine: then the command itself is missing, and nothing else is wrong.
    expect(verified.error).toMatchObject({ code: 'ENOENT' })
    return
  }
  // It ends with 0 also after a misspelt name, and says so only here. Of the machine it may lack
  // node itself.
  const complaints = verified.stderr.split('\n').filter((line) => line.includes(path))
  expect(complaints.filter((line) => !line.includes('is not executable'))).toEqual([])
  const version = Number(
    /\d+/.exec(spawnSync('systemd-analyze', ['--version']).stdout.toString())?.[0],
  )
  // Older ones can judge only a unit that runs.
  if (version < 250) return
  const { status, stdout } = analyze('security', '--offline=true', `--threshold=${EXPOSURE}`)
  expect(status, stdout).toBe(0)
})
