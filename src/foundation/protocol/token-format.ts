import { crc32 } from 'node:zlib'
import { sha256 } from '../crypto/digest.ts'
import { uuidFromBytes, writeSecret, writeUuid } from '../crypto/random.ts'

/** All of the same length, so that one check of the length fits all kinds. */
const PREFIXES = {
  access: 'sg_at_',
  refresh: 'sg_rt_',
  code: 'sg_ac_',
  session: 'sg_ss_',
  passwordReset: 'sg_pr_',
  notMe: 'sg_nm_',
  clientSecret: 'sg_cs_',
  trustedDevice: 'sg_td_',
  calendar: 'sg_cf_',
} as const

export type TokenKind = keyof typeof PREFIXES

const PREFIX_LENGTH = 6
const ID_BYTES = 16
/**
 * Characters that hold the id; the last one also holds four bits of the secret, which are dropped.
 */
const ID_LENGTH = 22
const SECRET_BYTES = 32
/** 48 bytes are exactly 64 characters, so each body has exactly one spelling. */
const BODY_LENGTH = 64
const CHECKSUM_LENGTH = 8
const TOKEN_LENGTH = PREFIX_LENGTH + BODY_LENGTH + CHECKSUM_LENGTH

/** Where the bytes of a new token are put together; the next token overwrites them. */
const newBody = Buffer.alloc(ID_BYTES + SECRET_BYTES)

const BASE64URL = /^[A-Za-z0-9_-]+$/

/** What is stored: not the token, only what is needed to recognise it. */
export interface TokenFingerprint {
  /** The primary key of the row, so that finding a token needs no other index. */
  readonly id: string
  /** SHA-256 of the whole text, to be compared in constant time. */
  readonly hash: Buffer
}

export interface MintedToken {
  readonly value: string
  readonly hash: Buffer
}

/**
 * Makes a new secret that contains the id of its row: prefix, base64url of id and 256 random bits,
 * checksum.
 *
 * @see RFC 6749 §10.10
 */
export function mintToken(kind: TokenKind, id: string): MintedToken {
  if (writeUuid(id, newBody) !== ID_BYTES) {
    throw new Error('mintToken needs a uuid as the id of the row')
  }
  writeSecret(newBody, ID_BYTES)
  const text = PREFIXES[kind] + newBody.toString('base64url')
  const value = text + checksum(text)
  return { value, hash: sha256(value) }
}

/**
 * Parses a token of one kind. Form and checksum are checked here, so that a malformed token causes
 * no query.
 *
 * @see RFC 6750 §5.2
 */
export function parseToken(kind: TokenKind, value: string): TokenFingerprint | undefined {
  if (!isWellFormed(kind, value)) return undefined
  const bytes = Buffer.from(value.slice(PREFIX_LENGTH, -CHECKSUM_LENGTH), 'base64url')
  return { id: uuidFromBytes(bytes), hash: sha256(value) }
}

/** Whether `parseToken` would parse it. */
export function isWellFormed(kind: TokenKind, value: string): boolean {
  if (value.length !== TOKEN_LENGTH || !value.startsWith(PREFIXES[kind])) return false
  const text = value.slice(0, -CHECKSUM_LENGTH)
  return BASE64URL.test(text) && checksum(text) === value.slice(-CHECKSUM_LENGTH)
}

/**
 * A key for the row that a token names, without any check that it is genuine: to count, never to
 * give access. The bytes of the id as they are, because this runs twice in a refresh.
 */
export function rowKey(kind: TokenKind, value: string): string | undefined {
  if (value.length !== TOKEN_LENGTH || !value.startsWith(PREFIXES[kind])) return undefined
  const bytes = Buffer.from(value.slice(PREFIX_LENGTH, PREFIX_LENGTH + ID_LENGTH), 'base64url')
  return bytes.toString('latin1')
}

/**
 * Detects truncated and mistyped tokens, and lets secret scanners recognise ours. It is not a
 * secret.
 */
function checksum(text: string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}

/**
 * A UUID as PostgreSQL and this server write it: in lower case, with hyphens.
 *
 * @see RFC 9562 §4
 */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const UUID_IN_ANY_CASE = new RegExp(UUID.source, 'i')

/**
 * Whether a text can name a row, in either case as RFC 9562 §4 reads it. Check this before a query:
 * PostgreSQL answers a text of another shape with an error instead of "no row".
 */
export function isUuid(text: string): boolean {
  return UUID_IN_ANY_CASE.test(text)
}
