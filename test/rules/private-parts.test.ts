import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/**
 * Our code uses no private part of a library: it can change with any version, and the type checker
 * does not see it. If the public way is slower, measure it and use it, or choose another library.
 */

const ROOT = new URL('../../', import.meta.url).pathname

interface Rule {
  readonly reason: string
  /** The parts of a source file that break the rule. */
  readonly find: (source: string) => readonly string[]
  readonly refuses: readonly string[]
  readonly accepts: readonly string[]
}

/** Exceptions, each with its reason. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'src/foundation/db/lanes.ts: PostgresPool':
    'It has everything that Kysely documents for a pool except cursors, which Kysely uses only if it is given a cursor class.',
}

/** Not private in spite of its name: the Model Context Protocol's own field. */
const PUBLIC_NAMES = new Set(['_meta'])

const RULES: Readonly<Record<string, Rule>> = {
  'imports only what a package exports': {
    reason:
      'A path into a package that its package.json does not export is private. Import from the package itself, or from a subpath that it exports.',
    find: (source) =>
      matches(
        source,
        /(?:from|import|require|resolve)\s*\(?\s*'((?:@[\w.-]+\/)?[a-z][\w.-]*\/[^']+)'/g,
      ).filter((specifier) => !isExported(specifier)),
    refuses: ["import utils from 'pg/lib/utils'", "require('fastify/lib/server.js')"],
    accepts: ["import { z } from 'zod'", "import { visit } from 'graphql/index.js'"],
  },
  'reads no member whose name begins with an underscore': {
    reason:
      'A leading underscore marks a private member. Use what the library documents; our own private members are written with #.',
    find: (source) =>
      [
        ...matches(source, /[\w)\]]\s*!?\??\.\s*(_[a-z]\w*)/gi),
        ...matches(source, /\[\s*['"`](_[a-z]\w*)['"`]\s*\]/gi),
        ...matches(source, /Reflect\.\w+\([^()]*,\s*['"`](_[a-z]\w*)['"`]/gi),
        ...matches(source, /(?:const|let)\s*\{([^}]*)\}\s*=/g)
          .flatMap((pattern) => pattern.split(','))
          .map((part) => part.trim().split(/[:=\s]/)[0] ?? '')
          .filter((name) => name.startsWith('_')),
      ].filter((name) => !PUBLIC_NAMES.has(name)),
    refuses: [
      'socket._handle.writeQueueSize',
      'socket?._httpMessage',
      "Reflect.get(socket, '_httpMessage')",
      "pool['_clients']",
      'const { _handle } = socket',
    ],
    accepts: [
      'const { _meta } = params',
      'const { pid: _pid, ...rest } = running',
      '(_request, reply, done) => done()',
      'this.#running',
    ],
  },
  'casts no object of ours to a class of a library or of the platform': {
    reason:
      'A cast through unknown hides that the object is not of that class, and breaks as soon as the library uses more of it. Make a real one with its constructor or factory.',
    find: (source) => {
      const foreign = new Set([...PLATFORM, ...importedNames(source)])
      return matches(source, /as unknown as ([A-Z]\w*)/g).filter((name) => foreign.has(name))
    },
    refuses: [
      "import { Counter, type Metric } from 'prom-client'\nreturn it as unknown as Metric",
      'return { method, headers } as unknown as Request',
    ],
    accepts: ['row as unknown as Meeting', "import { a } from './b.ts'\na as unknown as B"],
  },
  'does not replace listeners or change prototypes of libraries': {
    reason:
      'Taking over a listener or changing a prototype depends on how the library sets itself up. Add a hook, a plugin or a listener of your own.',
    find: (source) =>
      matches(
        source,
        /((?:removeAllListeners|rawListeners|\.listeners)\(|\.prototype(?:\.\w+|\[[^\]]+\])\s*=(?!=)|getOwnPropertySymbols|setPrototypeOf)/g,
      ),
    refuses: [
      "server.removeAllListeners('request')",
      "const [handle] = server.listeners('request')",
      'Client.prototype.query = ours',
      'Object.getOwnPropertySymbols(reply)',
    ],
    accepts: ["server.on('request', count)", "socket.off('data', read)"],
  },
  'does not name the private parts that it once used': {
    reason:
      "These are internals of pg: the client's parsed statements and its socket. Use named statements and pg's options.",
    find: (source) =>
      matches(
        source,
        /\b(parsedStatements|submittedNamedStatements|connection\.stream|handleRowDescription)\b/g,
      ),
    refuses: ['connection.parsedStatements', 'client.connection.stream.cork()'],
    accepts: ['client.query({ name, text, values })'],
  },
}

/** Classes of the platform that libraries accept and return. */
const PLATFORM = ['Request', 'Response', 'Headers', 'Socket', 'Server', 'ReadableStream']

function matches(source: string, pattern: RegExp): string[] {
  return [...source.matchAll(pattern)].map(([whole, part]) => part ?? whole)
}

/** Names that a file imports from packages or from Node, not from our own files. */
function importedNames(source: string): string[] {
  return matches(source, /import\s+([^']*?)\s+from\s+'[^.'][^']*'/g).flatMap((clause) =>
    matches(clause, /([A-Za-z_$][\w$]*)(?=\s*(?:,|\}|$))/g),
  )
}

interface Manifest {
  readonly main?: string
  readonly exports?: Readonly<Record<string, unknown>> | string
}

function isExported(specifier: string): boolean {
  if (specifier.startsWith('node:')) return true
  const [, name = '', path = ''] = /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(specifier) ?? []
  const file = join(ROOT, 'node_modules', name, 'package.json')
  const { main = '', exports }: Manifest = JSON.parse(readFileSync(file, 'utf8'))
  if (exports === undefined) return path.replace(/\.js$/, '') === main.replace(/^\.\/|\.js$/g, '')
  return typeof exports === 'object' && `./${path}` in exports
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/\.(test|generated)\.tsx?$|\.d\.ts$/.test(name))
  .map((name) => `src/${name}`)

function violations(find: Rule['find']): string[] {
  return files.flatMap((file) =>
    find(withoutComments(readFileSync(join(ROOT, file), 'utf8'))).map((part) => `${file}: ${part}`),
  )
}

test('every exception is still needed', () => {
  const found = new Set(Object.values(RULES).flatMap(({ find }) => violations(find)))
  expect(Object.keys(ACCEPTED).filter((one) => !found.has(one))).toEqual([])
})

describe.each(Object.entries(RULES))('our code %s', (_name, { reason, find, refuses, accepts }) => {
  test('everywhere', () => {
    expect(
      violations(find).filter((one) => !(one in ACCEPTED)),
      reason,
    ).toEqual([])
  })

  test('and this test finds violations', () => {
    for (const source of refuses) expect(find(source), source).not.toEqual([])
    for (const source of accepts) expect(find(source), source).toEqual([])
  })
})
