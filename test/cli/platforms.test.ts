import { expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { testDatabase } from '../support/database.ts'
import { environmentOf, run } from './support/run.ts'

const database = await testDatabase()
const env = environmentOf(database.connection)
const schoolgate = (...argv: string[]) => run([...argv, '--json'], env)

verifies('platform.commands', 'list, add, set, disable and enable, each with --json', async () => {
  const names = async () => {
    const { json } = await schoolgate('platform', 'list')
    return json.platforms.map((one: { clientName: string; disabled: boolean; source: string }) =>
      [one.clientName, one.disabled ? 'off' : 'on', one.source].join(' '),
    )
  }
  expect(await names()).toEqual([
    'ChatGPT on shipped',
    'Claude on shipped',
    'Cursor on shipped',
    'Visual Studio Code on shipped',
  ])
  const added = await schoolgate(
    ...['platform', 'add', '--name', 'Windsurf', '--id', 'windsurf'],
    ...[
      '--redirect-uri',
      'windsurf://codeium.windsurf/oauth',
      '--redirect-uri',
      'http://localhost/a',
    ],
  )
  expect(added).toMatchObject({ code: 0, json: { clientId: 'windsurf' } })
  const set = ['platform', 'set', 'chatgpt', '--redirect-uri', 'https://chatgpt.com/x']
  expect(await schoolgate(...set)).toMatchObject({
    code: 0,
    json: { clientId: 'chatgpt', changed: ['redirect_uris'] },
  })
  const off = { clientId: 'cursor', changed: true }
  expect((await schoolgate('platform', 'disable', 'cursor')).json).toEqual(off)
  expect((await schoolgate('platform', 'disable', 'cursor')).json.changed).toBe(false)
  expect(await names()).toEqual([
    'ChatGPT on changed',
    'Claude on shipped',
    'Cursor off shipped',
    'Visual Studio Code on shipped',
    'Windsurf on added',
  ])
  // Those that are on and were not changed by hand.
  const filled = ['claude', 'visual-studio-code']
  expect((await schoolgate('migrate')).json).toEqual({ applied: [], platforms: filled })
  expect((await schoolgate('migrate')).json).toEqual({ applied: [], platforms: [] })
  expect((await schoolgate('platform', 'enable', 'cursor')).json.changed).toBe(true)
  const text = await run(['platform', 'list'], env)
  expect(text.stdout).toMatch(/claude +Claude +on +shipped, list 2 +https:/)
})

verifies('platform.commands', 'bad values name their option, unknown ids the list', async () => {
  const add = ([name, id, uri]: readonly [string, string, string]) =>
    schoolgate('platform', 'add', '--name', name, '--id', id, '--redirect-uri', uri)
  for (const [option, given] of [
    ['--name', ['Claude', 'other', 'https://a.example/b']],
    ['--id', ['Other', 'claude', 'https://a.example/b']],
    ['--redirect-uri', ['Other', 'other', 'http://a.example/b']],
  ] as const) {
    const refused = await add(given)
    expect(refused, option).toMatchObject({ code: 2 })
    expect(refused.json.error).toMatch(new RegExp(`^${option}: `))
  }
  expect(await schoolgate('platform', 'set', 'claude')).toMatchObject({ code: 2 })
  expect(await schoolgate('platform', 'disable', 'nope')).toMatchObject({
    code: 1,
    json: { remedy: expect.stringContaining('platform list') },
  })
})
