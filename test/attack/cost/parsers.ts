import { type Format, HeadingError, readRows } from '../../../src/domain/bulk/row-reader.ts'
import { BULK_KINDS } from '../../../src/domain/catalogue/bulk-kinds.ts'
import { parseClientIdUrl } from '../../../src/domain/clients/client-id-url.ts'
import { describeDevice } from '../../../src/domain/people/known-device.ts'
import { parseEs256 } from '../../../src/foundation/crypto/es256.ts'
import { containsWords } from '../../../src/foundation/db/contains-words.ts'
import { trustNoProxy } from '../../../src/foundation/http/client-address.ts'
import { chooseMediaType } from '../../../src/foundation/http/conditional.ts'
import { findCookie } from '../../../src/foundation/http/cookies.ts'
import { parseLocalPath } from '../../../src/foundation/http/link-header.ts'
import { boundaryIn, readMultipart } from '../../../src/foundation/http/multipart.ts'
import { readOrigin } from '../../../src/foundation/http/origin.ts'
import { KNOWN_CALLER, walkJson } from '../../../src/foundation/json/json-walk.ts'
import { renderMarkdown } from '../../../src/foundation/markdown/render-markdown.ts'
import { parseBearer } from '../../../src/foundation/protocol/challenge.ts'
import { readParameters } from '../../../src/foundation/protocol/parameters.ts'
import {
  matchesRedirectUri,
  redirectUriProblems,
} from '../../../src/foundation/protocol/redirect-uri.ts'
import { UnreadableFileError } from '../../../src/foundation/tabular/read-records.ts'
import { plainText } from '../../../src/foundation/text/plain-text.ts'
import { oneSentence } from '../../../src/foundation/text/visible-text.ts'
import {
  DocumentRefused,
  DocumentStore,
} from '../../../src/surfaces/member-api/documents/document-store.ts'
import { DEFAULT_LIMITS } from '../../../src/surfaces/member-api/documents/limits.ts'
import { buildMemberSchema } from '../../../src/surfaces/member-api/schema.ts'
import { HOSTILE_TEXTS, type HostileText, ownTexts, within } from './hostile-texts.ts'
import type { Work } from './measure-cost.ts'

/** Something that strangers, members or schools feed, with the longest input that reaches it. */
export interface Parser {
  readonly name: string
  readonly longest: number
  readonly texts: readonly HostileText[]
  readonly work: Work
}

const KIB = 1024
const HEADER = 16 * KIB
const VALUE = 8 * KIB

const MARKDOWN = ownTexts(
  [
    '> k\n',
    '- k\n',
    '1. k\n',
    '# k\n',
    '```\n',
    '~~~\n',
    '***\n',
    '* ',
    '- - ',
    '> > ',
    '>\n',
    '-\n',
    '    k\n',
    '\tk\n',
    'k  \n',
    'k\\\n',
    '[k](k',
    '[k](k "',
    "[k](k '",
    '[k](<k',
    '[k](/k) ',
    '![k](/k) ',
    '[k][k] ',
    '[k]: /k\n',
    '[[k](/k)',
    '](k',
    '<https://k.example> ',
    '<k@k.example> ',
    '<https://k',
    '<!--',
    '<?',
    '<![CDATA[',
    '&amp;',
    '&#x202e;',
    '&k',
    '&#',
    '**k*',
    '*k**',
    '_k_ ',
    '*k _k ',
    '**k __k ',
    'k*',
    '`k',
    '``k`',
    '`` ',
    '|k|k|\n|-|-|\n',
    'k\n===\n',
    'http://k.example ',
    '\\`',
    '\u0000',
  ],
  [
    ['*', '*'],
    ['**', '**'],
    ['_', '_'],
    ['[', '](k)'],
    ['![', '](k)'],
    ['> ', ''],
    ['- ', ''],
    ['*k _k ', 'k_ k*'],
  ],
)

const JSON_UNITS = ownTexts(
  ['"k":0,', '[],', '{},', '"k",', '\\u0000', '\\"', '1e9,', 'null,', '[1,', '{"k":', '"\\\\",'],
  [
    ['[', ']'],
    ['{"k":', '}'],
  ],
)

const GRAPHQL = ownTexts(
  [
    'k ',
    'k:k ',
    '...k ',
    '@k ',
    '#k\n',
    '"""',
    '""""k""" ',
    '"\\u{k}',
    '$k:Int ',
    '{k}',
    'fragment k on K{k} ',
    'query k{k} ',
    '[k ',
    'id ',
    '__typename ',
    '...{id} ',
    '...on Viewer{id} ',
  ],
  [
    ['{viewer', '}'],
    ['[', ']'],
    ['{k:', '}'],
    ['...{', '}'],
  ],
)

const FORM = ownTexts(['k=1&', '&', '=', '%', '%41', '%zz', '+', 'k=%e', 'resource=k&', '&&=='])
const CSV = ownTexts([
  '"',
  '""',
  ',',
  '",',
  '"\n',
  'k,"',
  '\n',
  '\r\n',
  'k;',
  '"k"k,',
  "'=",
  '""""',
])
const URI = ownTexts([
  'http://',
  'k.',
  '../',
  '//',
  ':',
  '@',
  '[::',
  '%2f',
  'k:',
  '?k=&',
  '#',
  'xn--',
])
const MULTIPART = ownTexts([
  '\r\n--b',
  '\r\n--b\r\n',
  '\r\n',
  '\r\n-',
  '--',
  '\r\n--b\r\ncontent-disposition: form-data; name="k"\r\n\r\nk',
  '; name="k',
  'content-disposition:',
])

const schema = buildMemberSchema('newer')
const [posts] = BULK_KINDS.filter(({ name }) => name === 'posts')

async function drainRows(format: Format, text: string, pieceLength: number): Promise<void> {
  if (posts === undefined) throw new Error('there is no kind called posts')
  try {
    for await (const rows of readRows(posts, format, piecesOf(text, pieceLength))) void rows.length
  } catch (error) {
    if (!(error instanceof HeadingError) && !(error instanceof UnreadableFileError)) throw error
  }
}

async function* piecesOf(text: string, length: number): AsyncGenerator<Buffer, void, void> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length)
}

/** A refusal is an answer too. */
const attempting =
  (work: Work): Work =>
  (text) => {
    try {
      return work(text)
    } catch {
      return undefined
    }
  }

function originOf(host: string): unknown {
  const source = { url: '/', headers: { host }, remoteAddress: '127.0.0.1', encrypted: false }
  return readOrigin({ ...source, rawHeaders: ['Host', host] }, trustNoProxy)
}

async function readForm(text: string): Promise<void> {
  try {
    for await (const part of readMultipart(piecesOf(text, 1400), 'b')) void part.name
  } catch {
    // Refused.
  }
}

export const PARSERS: readonly Parser[] = [
  {
    name: 'Markdown',
    longest: 64 * KIB,
    texts: [...MARKDOWN, ...HOSTILE_TEXTS],
    work: renderMarkdown,
  },
  {
    name: 'JSON',
    longest: 1024 * KIB,
    texts: [...JSON_UNITS, ...within('{"k":"', '"}', HOSTILE_TEXTS)],
    work: attempting((text) => {
      if (walkJson(text, KNOWN_CALLER).excess === undefined) JSON.parse(text)
    }),
  },
  {
    name: 'GraphQL document',
    longest: 48 * KIB,
    texts: [
      ...GRAPHQL,
      ...within('{ ', ' }', [...GRAPHQL, ...HOSTILE_TEXTS]),
      ...within('{ viewer { ', ' } }', GRAPHQL),
    ],
    work: (text) => {
      try {
        new DocumentStore(schema, DEFAULT_LIMITS).load(text, undefined, 'school', () => {})
      } catch (error) {
        if (!(error instanceof DocumentRefused)) throw error
        for (const { message } of error.errors) oneSentence(message)
      }
    },
  },
  {
    name: 'CSV, in packets',
    longest: 1024 * KIB,
    texts: [
      ...within('slug,title\n', '', [...CSV, ...HOSTILE_TEXTS]),
      ...within('slug,title\n"', '', CSV),
      ...within('"', '"\n', CSV),
    ],
    work: (text) => drainRows('csv', text, 1400),
  },
  {
    name: 'NDJSON, in packets',
    longest: 1024 * KIB,
    texts: [
      ...JSON_UNITS,
      ...within('{"slug":"', '"}\n', [...JSON_UNITS, ...HOSTILE_TEXTS]),
      ...ownTexts(['{"slug":"k"}\n', '\n', '{"k":1}\n']),
    ],
    work: (text) => drainRows('ndjson', text, 1400),
  },
  {
    name: 'multipart body, in packets',
    longest: 1024 * KIB,
    texts: [...within('--b\r\n', '', [...MULTIPART, ...HOSTILE_TEXTS])],
    work: readForm,
  },
  {
    name: 'multipart boundary',
    longest: HEADER,
    texts: [
      ...within('multipart/form-data;', '', [...HOSTILE_TEXTS, ...ownTexts(['boundary=', ' ;'])]),
      ...HOSTILE_TEXTS,
    ],
    work: attempting(boundaryIn),
  },
  {
    name: 'form body of OAuth',
    longest: 64 * KIB,
    texts: [...FORM, ...HOSTILE_TEXTS, ...within('k=', '', HOSTILE_TEXTS)],
    work: attempting(readParameters),
  },
  {
    name: 'form body of pages',
    longest: 64 * KIB,
    texts: [...FORM, ...HOSTILE_TEXTS],
    work: (text) => [...new URLSearchParams(text)].length,
  },
  {
    name: 'redirect URI',
    longest: VALUE,
    texts: [
      ...URI,
      ...HOSTILE_TEXTS,
      ...within('http://127.0.0.1', '/callback', [...URI, ...HOSTILE_TEXTS]),
      ...within('https://k.example/', '', URI),
    ],
    work: attempting((text) => {
      matchesRedirectUri('http://127.0.0.1/callback', text)
      redirectUriProblems(text, { confidential: false })
    }),
  },
  {
    name: 'client_id of a document',
    longest: VALUE,
    texts: [...URI, ...within('https://', '/c.json', [...URI, ...HOSTILE_TEXTS])],
    work: attempting((text) => parseClientIdUrl(text)),
  },
  { name: 'return_to', longest: VALUE, texts: [...URI, ...HOSTILE_TEXTS], work: parseLocalPath },
  {
    name: 'Host',
    longest: HEADER,
    texts: [...URI, ...HOSTILE_TEXTS, ...ownTexts(['a-', 'a.', '0.', '[', '-a', '_.'])],
    work: originOf,
  },
  {
    name: 'Accept',
    longest: HEADER,
    texts: [...HOSTILE_TEXTS, ...ownTexts(['k/k,', 'k/k;q=0.5,', ';q=', ' ;', '*/*,'])],
    work: (text) => chooseMediaType(text, ['application/json', 'text/html']),
  },
  {
    name: 'Cookie',
    longest: HEADER,
    texts: [...HOSTILE_TEXTS, ...ownTexts(['k=k;', 'schoolgate=k;', ';', '='])],
    work: (text) => findCookie(text, 'schoolgate'),
  },
  {
    name: 'Authorization',
    longest: HEADER,
    texts: [...HOSTILE_TEXTS, ...within('Bearer ', '', HOSTILE_TEXTS)],
    work: attempting(parseBearer),
  },
  { name: 'User-Agent', longest: HEADER, texts: HOSTILE_TEXTS, work: describeDevice },
  {
    name: 'id_token_hint',
    longest: VALUE,
    texts: [...HOSTILE_TEXTS, ...ownTexts(['e30.', '.', 'W10'])],
    work: attempting(parseEs256),
  },
  {
    name: 'search words',
    longest: VALUE,
    texts: [...HOSTILE_TEXTS, ...ownTexts(['k ', '% ', '\\ '])],
    work: (text) => containsWords(['title'], text),
  },
  {
    name: 'a name that is shown',
    longest: 64 * KIB,
    texts: [...HOSTILE_TEXTS, ...ownTexts(['\u0301', '👨‍👩‍👧', '\u200d', '\ufe0f', '🏳️‍🌈'])],
    work: (text) => plainText(text, 2000),
  },
]
