import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { whenFileIsDone } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'
import { environmentOf, run } from './support/run.ts'

const folder = mkdtempSync(join(tmpdir(), 'schoolgate-schools-'))
whenFileIsDone(() => rmSync(folder, { recursive: true, force: true }))

const row = (subdomain: string, more: Record<string, unknown> = {}) => ({
  subdomain,
  origin: `https://${subdomain}.example`,
  name: `School ${subdomain}`,
  ...more,
})
const ndjson = (rows: readonly object[]) => rows.map((one) => `${JSON.stringify(one)}\n`).join('')

async function anInstallation() {
  const connection = await emptyDatabase()
  const env = environmentOf(connection)
  const schools = async (...argv: string[]) => await run(['school', ...argv], env)
  const subdomains = async (): Promise<string[]> => {
    const { json } = await schools('list', '--json')
    return json.schools.map(({ subdomain }: { subdomain: string }) => subdomain)
  }
  return { connection, env, schools, subdomains }
}

async function fileOf(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

describe('school create --file', () => {
  test('makes every school of an NDJSON file, with its settings', async () => {
    const { schools } = await anInstallation()
    const rows = [
      row('north', { time_zone: 'Europe/Lisbon', mcp_connections: true }),
      row('south', { variant: 'older', document_hosts: ['*.apps.example'] }),
    ]
    const file = await fileOf('two.ndjson', ndjson(rows))
    expect(await schools('create', '--file', file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Added 2 schools.'),
    })
    expect((await schools('list', '--json')).json.schools).toMatchObject([
      { subdomain: 'north', mcpConnections: true },
      { subdomain: 'south', variant: 'older', documentHosts: ['*.apps.example'] },
    ])
  })

  test('reads CSV, from standard input too', async () => {
    const { env, subdomains } = await anInstallation()
    const text = 'subdomain,origin,name,sign_up\neast,https://east.example,"East, far",true\n'
    const made = await run(['school', 'create', '--file', '-', '--format', 'csv'], env, text)
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(await subdomains()).toEqual(['east'])
  })

  test('tells every wrong line and makes nothing, not half a file', async () => {
    const { schools, subdomains } = await anInstallation()
    await schools('create', '--file', await fileOf('one.ndjson', ndjson([row('taken')])))
    const rows = [
      row('fine'),
      row('Bad Name'),
      row('taken', { origin: 'https://other.example' }),
      row('again'),
      row('again', { origin: 'https://again-2.example' }),
      { subdomain: 'none', origin: 'https://none.example' },
      row('typo', { time_zon: 'UTC' }),
    ]
    const file = await fileOf('wrong.ndjson', `${ndjson(rows)}no json\n`)
    const { code, stdout } = await schools('create', '--file', file)
    expect(code).toBe(1)
    for (const [line, said] of [
      [2, 'subdomain: Use 1 to 63 lower-case letters'],
      [3, 'taken'],
      [5, 'Line 4 has the same subdomain'],
      [6, 'name: '],
      [7, 'time_zon: There is no such field'],
      [8, 'not JSON'],
    ] as const) {
      expect(stdout).toMatch(new RegExp(`^line ${line}: .*${said}`, 'm'))
    }
    expect(stdout).not.toMatch(/^line [14]:/m)
    expect(stdout).toContain('No school was added')
    expect(await subdomains()).toEqual(['taken'])
  })

  test('refuses a heading that no school has, and a school beside the file', async () => {
    const { schools } = await anInstallation()
    const file = await fileOf('heading.csv', 'subdomain,adress\nnorth,x\n')
    expect(await schools('create', '--file', file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'adress: The heading names a column that schools do not have',
      ),
    })
    const both = await schools('create', '--file', file, '--name', 'North')
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('A file and a school') })
    expect(await schools('create', '--name', 'North')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--subdomain is missing'),
    })
  })
})

describe('--all and --where', () => {
  async function three() {
    const installation = await anInstallation()
    const rows = ['demo-a', 'demo-b', 'north'].map((name) => row(name))
    await installation.schools('create', '--file', await fileOf('three.ndjson', ndjson(rows)))
    const keys = (...argv: string[]) => run(['keys', ...argv, '--json'], installation.env)
    return { ...installation, keys }
  }

  test('publish and activate keys at every school, and go on where they stopped', async () => {
    const { keys } = await three()
    await keys('publish', '--school', 'demo-b')
    const published = await keys('publish', '--where', 'waiting-key=off')
    expect(published.json.done.map(({ school }: { school: string }) => school)).toEqual([
      'demo-a',
      'north',
    ])
    const early = await keys('activate', '--all')
    expect(early.code).toBe(1)
    expect(early.json.refused).toHaveLength(3)
    expect(early.json.refused[0]).toMatchObject({
      school: 'demo-a',
      error: expect.stringContaining('Some caches'),
    })
    const activated = await keys('activate', '--where', 'id-tokens=off', '--force')
    expect(activated.code).toBe(0)
    expect(activated.json.done).toHaveLength(3)
    const none = await keys('activate', '--all', '--force')
    expect(none.json.refused[0].error).toContain('No key of this school waits')
    const rest = await keys('activate', '--where', 'id-tokens=off')
    expect(rest).toMatchObject({ code: 1, json: { error: 'No school matches.' } })
    expect(await keys('activate', 'a-kid', '--all')).toMatchObject({ code: 2 })
  })

  test('take the former keys of every school out of the JWKS when a secret leaked', async () => {
    const { keys, connection } = await three()
    for (let i = 0; i < 2; i += 1) {
      await keys('publish', '--all')
      await keys('activate', '--all', '--force')
    }
    // One that waits leaked, too.
    await keys('publish', '--school', 'north')
    const retired = await keys('retire', '--all', '--leaked')
    expect(retired.json.done.map(({ kids }: { kids: string[] }) => kids.length)).toEqual([1, 1, 2])
    const again = await keys('retire', '--all', '--leaked')
    expect(again.json.done.map(({ kids }: { kids: string[] }) => kids)).toEqual([[], [], []])
    const client = await connect(connection)
    const { rows } = await client.query(
      "select stage from signing_keys where stage <> 'retired' or retired_at > now() - interval '1 day'",
    )
    await client.end()
    expect(rows.map(({ stage }) => stage)).toEqual(['active', 'active', 'active'])
    expect(await keys('retire', '--all')).toMatchObject({ code: 2 })
  })

  test('change settings of the schools that match, and of no other', async () => {
    const { schools } = await three()
    const set = await schools('set', '--where', 'subdomain=demo-*', '--mcp-connections', 'on')
    expect(set).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Done at 2 of 2 schools'),
    })
    const { json } = await schools('list', '--json')
    const on = json.schools.filter((one: { mcpConnections: boolean }) => one.mcpConnections)
    expect(on.map(({ subdomain }: { subdomain: string }) => subdomain)).toEqual([
      'demo-a',
      'demo-b',
    ])
  })

  test.each([
    [['set', '--mcp-connections', 'on'], 'No school was named'],
    [['set', 'north', '--all', '--mcp-connections', 'on'], 'One school and several were named'],
    [['set', '--all', '--origin', 'https://one.example'], '--origin is of one school alone'],
    [['set', '--where', 'variant=odler', '--mcp-connections', 'on'], '"odler" is no variant'],
    [['set', '--where', 'color=red', '--mcp-connections', 'on'], '"color=red" is no condition'],
    [['set', '--where', 'id-tokens=maybe', '--mcp-connections', 'on'], '"maybe" is no switch'],
  ])('%j says what is wrong', async (argv, said) => {
    const { schools } = await three()
    expect(await schools(...argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) })
  })

  test('suspend one by its name, and resume those that are', async () => {
    const { schools } = await three()
    const wrong = await schools('suspend', 'north', '--confirm', 'nort')
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('add --confirm north') })
    expect(await schools('resume', '--where', 'suspended=on')).toMatchObject({ code: 1 })
    for (const name of ['north', 'demo-a']) {
      expect(await schools('suspend', name, '--confirm', name)).toMatchObject({ code: 0 })
    }
    const again = await schools('suspend', 'north', '--confirm', 'north')
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('suspended already') })
    const suspended = async () => {
      const { json } = await schools('list', '--json')
      return json.schools.flatMap((one: { subdomain: string; suspendedAt: string | null }) =>
        one.suspendedAt === null ? [] : one.subdomain,
      )
    }
    expect(await suspended()).toEqual(['demo-a', 'north'])
    const resumed = await schools('resume', '--where', 'suspended=on', '--json')
    expect(resumed.json.done).toMatchObject([{ school: 'demo-a' }, { school: 'north' }])
    expect(await suspended()).toEqual([])
    expect(await schools('resume', 'north')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('north is not suspended'),
    })
  })
})
