import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gql } from '@apollo/client'
import relayRuntime, { type GraphQLTaggedNode } from 'relay-runtime'
import type { DemoPlace } from '../drive/demo-place.ts'
import { ROOT } from '../drive/program.ts'
import type { Trial, TriedClient } from '../drive/tried-client.ts'
import * as apollo from '../recipes/apollo-client.ts'
import type { Application } from '../recipes/application.ts'
import { begin, finish, Session } from '../recipes/fetch.ts'
import * as relay from '../recipes/relay.ts'
import * as urql from '../recipes/urql.ts'

const COMPILER = `${ROOT}node_modules/relay-compiler/cli.js`
const QUERY = 'query Me { viewer { name } }'

const common = {
  application: { isPublic: true },
  refreshesAfter: 'refusal',
  words: { logsIn: 'with another client', signsOut: 'with another client' },
} as const

/** Signs in with the recipe without a library, then asks with the client. */
function asking(
  { ada }: DemoPlace,
  app: Application,
  connect: (session: Session) => () => Promise<unknown>,
): TriedClient {
  let session: Session
  let ask: () => Promise<unknown>
  return {
    async signIn() {
      const { url, checks } = await begin(app)
      const back = await ada.consent(url.href, app.redirectUri)
      session = new Session(app, await finish(app, new URL(back), checks))
      ask = connect(session)
    },
    me: async () => JSON.stringify(await ask()),
    signOut: () => session.signOut(),
  }
}

export const apolloClient: Trial = {
  name: 'apollo-client',
  package: '@apollo/client',
  ...common,
  start: (place, app) =>
    asking(place, app, (session) => {
      const client = apollo.connect(app.origin, session)
      const query = gql(QUERY)
      return async () => (await client.query({ query, fetchPolicy: 'no-cache' })).data
    }),
}

export const urqlClient: Trial = {
  name: 'urql',
  package: '@urql/core',
  ...common,
  start: (place, app) =>
    asking(place, app, (session) => {
      const client = urql.connect(app.origin, session)
      return async () => {
        const { data, error } = await client.query(QUERY, {}, { requestPolicy: 'network-only' })
        if (error !== undefined) throw error
        return data
      }
    }),
}

export const relayClient: Trial = {
  name: 'relay',
  package: 'relay-runtime',
  ...common,
  async start(place, app) {
    const query = await compile(app.origin)
    return asking(place, app, (session) => {
      const environment = relay.connect(app.origin, session)
      const fresh = { fetchPolicy: 'network-only' } as const
      return () => relayRuntime.fetchQuery(environment, query, {}, fresh).toPromise()
    })
  },
}

/** Runs relay-compiler over the query with the schema of the school. */
async function compile(origin: string): Promise<GraphQLTaggedNode> {
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-relay-'))
  try {
    await mkdir(join(folder, 'src'))
    const schema = await (await fetch(`${origin}/schema.graphql`)).text()
    await writeFile(join(folder, 'schema.graphql'), schema)
    await writeFile(join(folder, 'src/Me.js'), `graphql\`${QUERY.replace('Me', 'MeQuery')}\``)
    const config = {
      src: './src',
      schema: './schema.graphql',
      language: 'javascript',
      eagerEsModules: true,
    }
    await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config))
    await promisify(execFile)(process.execPath, [COMPILER, 'relay.config.json'], { cwd: folder })
    const made = await import(join(folder, 'src/__generated__/MeQuery.graphql.js'))
    return made.default
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
