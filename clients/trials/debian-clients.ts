import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programClient, ROOT } from '../drive/program.ts'
import type { Trial } from '../drive/tried-client.ts'

/** Debian's Python, which sees Debian's packages; another one may come first in PATH. */
const PYTHON = ['/usr/bin/python3', '-B', 'drive/try_python.py'] as const

export const authlib: Trial = {
  name: 'authlib',
  package: { debian: 'python3-authlib' },
  refreshesAfter: 1,
  words: { signsOut: 'revokes' },
  start(place, app) {
    const [command, ...args] = PYTHON
    const env = { AUTHLIB_INSECURE_TRANSPORT: '1' }
    return programClient(place, app, command, [...args, 'recipes/authlib.py'], env)
  },
}

export const requestsOauthlib: Trial = {
  name: 'requests-oauthlib',
  package: { debian: 'python3-requests-oauthlib' },
  refreshesAfter: 1,
  words: {
    signsOut:
      'the app revokes, with a POST ([thread](https://github.com/requests/requests-oauthlib/issues/337))',
  },
  start(place, app) {
    const [command, ...args] = PYTHON
    const env = { OAUTHLIB_INSECURE_TRANSPORT: '1' }
    return programClient(place, app, command, [...args, 'recipes/requests-oauthlib.py'], env)
  },
}

export const goOauth2: Trial = {
  name: 'go-oauth2',
  package: { debian: 'golang-golang-x-oauth2-dev' },
  refreshesAfter: 1,
  words: {
    signsOut:
      'the app revokes, with a POST ([thread](https://github.com/golang/oauth2/issues/455))',
  },
  async start(place, app) {
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-go-'))
    await cp(`${ROOT}recipes/go-oauth2.go`, join(folder, 'recipe.go'))
    await cp(`${ROOT}drive/try_go.go`, join(folder, 'main.go'))
    // Debian's Go packages are a GOPATH, not modules.
    const env = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(folder, 'cache') }
    await promisify(execFile)('go', ['build', '-o', 'try', '.'], {
      cwd: folder,
      env: { ...process.env, ...env },
    })
    const client = programClient(place, app, join(folder, 'try'), [])
    return {
      ...client,
      async close() {
        await client.close?.()
        await rm(folder, { recursive: true, force: true })
      },
    }
  },
}

export const rubyOauth2: Trial = {
  name: 'ruby-oauth2',
  package: { debian: 'ruby-oauth2' },
  // It counts whole seconds.
  refreshesAfter: 0,
  words: {
    refreshes: 'by a call ([thread](https://github.com/ruby-oauth/oauth2/issues/107))',
    signsOut:
      'the app revokes, with a POST ([since 2.0.10](https://github.com/ruby-oauth/oauth2/pull/643) by a call)',
  },
  start: (place, app) =>
    programClient(place, app, '/usr/bin/ruby', ['drive/try_ruby.rb', 'recipes/ruby-oauth2.rb']),
}
