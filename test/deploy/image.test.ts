import { existsSync, readFileSync } from 'node:fs'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { NODE_ENDS, RECOMMENDED_NODE } from '../../src/cli/doctor/check-installation.ts'
import { variables } from '../../src/variables.ts'
import { instructionsOf } from './support/dockerfile.ts'

const ROOT = new URL('../../', import.meta.url)
const text = readFileSync(new URL('Dockerfile', ROOT), 'utf8')
const stages = instructionsOf(text)
const last = stages.at(-1) ?? []
const of = (name: string) =>
  last.filter(({ instruction }) => instruction === name).map(({ value }) => value)

test('the Dockerfile has no mistake that a linter knows', () => {
  expect(validate(text)).toEqual([])
})

test('all stages have the recommended Node, of which the end is known', () => {
  const bases = stages.map(([from]) => from?.value.split(' ')[0])
  expect(new Set(bases)).toEqual(new Set([`node:${RECOMMENDED_NODE}-bookworm-slim`]))
  expect(NODE_ENDS[RECOMMENDED_NODE]).toBeDefined()
})

test('the image runs as a user that is not root, is asked for its health, and has no build tools', () => {
  expect(of('USER')).toEqual(['node'])
  expect(of('HEALTHCHECK')).toEqual([expect.stringContaining('/healthz')])
  expect(of('RUN').filter((command) => command.startsWith('npm'))).toEqual([])
})

test('packages come from the lock, without development packages and the embedded PostgreSQL', () => {
  const installs = stages.flatMap((stage) =>
    stage.flatMap(({ instruction, value }) => (instruction === 'RUN' ? value : [])),
  )
  expect(installs.filter((command) => /npm (install|i)\b/.test(command))).toEqual([])
  const [packages = ''] = of('COPY').filter((value) => value.includes('node_modules'))
  const stage = /--from=(\w+)/.exec(packages)?.[1]
  const made = stages.find(([from]) => from?.value.endsWith(`AS ${stage}`)) ?? []
  expect(made.filter(({ instruction }) => instruction === 'RUN')).toEqual([
    { instruction: 'RUN', value: expect.stringMatching(/npm ci --omit=dev --omit=peer/) },
  ])
})

test('what is copied from the checkout is there, and reaches the build', () => {
  const admitted = readFileSync(new URL('.dockerignore', ROOT), 'utf8')
  for (const { instruction, value } of stages.flat()) {
    if (instruction !== 'COPY' || value.startsWith('--from')) continue
    for (const source of value.split(' ').slice(0, -1)) {
      expect(existsSync(new URL(source, ROOT)), source).toBe(true)
      if (source !== '.') expect(admitted.split('\n')).toContain(`!${source}`)
    }
  }
})

test('every setting of the image is a variable of the server', () => {
  const names = of('ENV').flatMap((value) => [...value.matchAll(/(\w+)=/g)].map(([, name]) => name))
  expect(names).toEqual(['NODE_ENV', 'HOST', 'PORT', 'SCHOOLGATE_DATA_DIR', 'SCHOOLGATE_COMMAND'])
  for (const name of names) expect(Object.keys(variables)).toContain(name)
})
