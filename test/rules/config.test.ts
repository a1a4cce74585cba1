import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig, unknownVariables } from '../../src/config.ts'
import { variables } from '../../src/variables.ts'

function problemOf(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('it was accepted')
}

describe('the configuration', () => {
  test('an empty environment gives the demo on loopback, port 3000', () => {
    expect(readConfig({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 3000,
      METRICS_HOST: '127.0.0.1',
    })
  })

  test('an empty variable counts as not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' }).PORT).toBe(3000)
  })

  test('a wrong value is refused with its name, its value and the allowed values', () => {
    expect(problemOf({ PORT: 'http' })).toBe(
      'PORT is "http", but must be a whole number from 1 to 65535.',
    )
    expect(problemOf({ NODE_ENV: 'prod' })).toContain('one of development, production, test')
    expect(problemOf({ TRUST_PROXY: 'everyone' })).toBe(
      'TRUST_PROXY is "everyone", but must be a list of the addresses that your proxy connects from: IP addresses, CIDR ranges such as 10.0.0.0/8 or the word loopback, not a number of hops or true ("everyone" is none of them).',
    )
  })

  test('all problems are reported at once', () => {
    expect(problemOf({ PORT: '0', WORKERS: 'many' }).split('\n')).toHaveLength(2)
  })

  test('a misspelt variable with our prefix is named, with the right names; others are not ours', () => {
    expect(
      unknownVariables({ SCHOOLGATE_DATADIR: '/srv', SCHOOLGATE_DEMO: 'on', PORTS: '1' }),
    ).toEqual([expect.stringMatching(/^SCHOOLGATE_DATADIR is no setting.*SCHOOLGATE_DATA_DIR/)])
  })

  test('neither a short secret nor a password in a mistyped URL is printed', () => {
    expect(problemOf({ SCHOOLGATE_SECRET: 'hunter2' })).not.toContain('hunter2')
    expect(problemOf({ DATABASE_URL: 'mysql://me:hunter2@db/x' })).not.toContain('hunter2')
  })

  test('no wrong value of a variable that is named after a secret is printed', () => {
    const secrets = Object.keys(variables).filter((name) =>
      /(SECRET|SECRET_ACCESS_KEY|TOKEN|HEADERS)$/.test(name),
    )
    expect(secrets).toHaveLength(5)
    for (const name of secrets) {
      expect(problemOf({ [name]: 'hunter2 ' })).toContain(`${name} is 8 characters, but must be`)
    }
  })

  test('an external database needs SCHOOLGATE_SECRET, which all processes share', () => {
    expect(problemOf({ DATABASE_URL: 'postgres://db/x' })).toContain('SCHOOLGATE_SECRET is missing')
  })

  test('the secret is given in one way, and in any of three', () => {
    const DATABASE_URL = 'postgres://db/x'
    const SCHOOLGATE_SECRET = 'x'.repeat(32)
    for (const way of ['SCHOOLGATE_SECRET_FILE', 'SCHOOLGATE_SECRET_COMMAND']) {
      expect(readConfig({ DATABASE_URL, [way]: 'somewhere' })).toMatchObject({ [way]: 'somewhere' })
      expect(problemOf({ DATABASE_URL, SCHOOLGATE_SECRET, [way]: 'somewhere' })).toBe(
        `SCHOOLGATE_SECRET and ${way} are set, but only one of them can give the secret.`,
      )
    }
    const old = { SCHOOLGATE_OLD_SECRET: 'o'.repeat(32), SCHOOLGATE_OLD_SECRET_FILE: 'somewhere' }
    expect(problemOf(old)).toContain('only one of them')
    expect(problemOf({ SCHOOLGATE_OLD_SECRET: 'hunter2' })).not.toContain('hunter2')
    expect(problemOf({ DATABASE_URL, SCHOOLGATE_OLD_SECRET: 'o'.repeat(32) })).toContain(
      'is missing',
    )
  })

  test('a database has one host or several, and only its primary can be asked for', () => {
    const SCHOOLGATE_SECRET = 'x'.repeat(32)
    for (const DATABASE_URL of [
      'postgres://db/x',
      'postgresql://me:pass@one:5432,two:5433/x?target_session_attrs=read-write',
      'postgres://one,two,three/x?sslmode=require&target_session_attrs=primary',
      'postgres:///x?host=/run/postgresql',
    ]) {
      expect(readConfig({ DATABASE_URL, SCHOOLGATE_SECRET }).DATABASE_URL).toBe(DATABASE_URL)
    }
    expect(problemOf({ DATABASE_URL: 'postgres://one,two/x?target_session_attrs=any' })).toMatch(
      /^DATABASE_URL is .* but must be a URL with target_session_attrs=read-write/,
    )
    expect(problemOf({ DATABASE_URL: 'postgres:///x?host=one,two' })).toContain('lists its hosts')
    for (const wrong of ['postgres://', 'postgres://one:port,two/x', 'mysql://one/x']) {
      expect(problemOf({ DATABASE_URL: wrong })).toContain('host1:5432,host2:5432')
    }
  })

  test('incomplete S3 settings are refused, and the S3 secret is never printed', () => {
    const half = { S3_ENDPOINT: 'https://s3.test', S3_SECRET_ACCESS_KEY: 'hush' }
    expect(problemOf(half)).toContain(
      'S3_BUCKET and S3_ACCESS_KEY_ID are missing, but S3_ENDPOINT and S3_SECRET_ACCESS_KEY are set',
    )
    const wrong = problemOf({ S3_SECRET_ACCESS_KEY: 'hush hush' })
    expect(wrong).toContain('S3_SECRET_ACCESS_KEY is 9 characters')
    expect(wrong).not.toContain('hush')
  })
})
