import { OAuthError } from './errors.ts'

/** One scope: printable ASCII without space, quote and backslash (RFC 6749 §3.3). */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+$/

const MAX_KNOWN = 1000

/**
 * Asks for a refresh token (OpenID Connect Core §11). Every authorization here has one, so the name
 * is dropped from requests, not refused: assistants send it to every server.
 */
const OFFLINE_ACCESS = 'offline_access'

/**
 * The names in the `scope` parameter of a request, unchecked and sorted, without offline_access.
 */
export function requestedScopes(text: string): string[] {
  const names = new Set(text.split(' '))
  names.delete('')
  names.delete(OFFLINE_ACCESS)
  return [...names].sort()
}

/**
 * An immutable set of scopes. Its text is sorted, so equal sets have equal texts.
 *
 * @see RFC 6749 §3.3
 */
export class ScopeSet implements Iterable<string> {
  static readonly empty = new ScopeSet(new Set())
  /** Cached, because nearly all tokens have one of a few sets. */
  static readonly #known = new Map<string, ScopeSet>()

  readonly #scopes: ReadonlySet<string>

  private constructor(scopes: ReadonlySet<string>) {
    this.#scopes = scopes
  }

  /**
   * Parses a `scope` parameter. Ignores repeated scopes, extra spaces and offline_access; refuses
   * all other syntax errors.
   *
   * @see RFC 6749 §3.3
   */
  static parse(text: string): ScopeSet {
    return ScopeSet.of(requestedScopes(text))
  }

  /** Like `parse`, for texts that we wrote ourselves and read at every request. */
  static recall(text: string): ScopeSet {
    const known = ScopeSet.#known.get(text)
    if (known !== undefined) return known
    const scopes = ScopeSet.parse(text)
    if (ScopeSet.#known.size >= MAX_KNOWN) ScopeSet.#known.clear()
    ScopeSet.#known.set(text, scopes)
    return scopes
  }

  static of(scopes: Iterable<string>): ScopeSet {
    const sorted = [...scopes].sort()
    for (const scope of sorted) {
      if (!SCOPE.test(scope)) {
        throw new OAuthError(
          'invalid_scope',
          'scope must be a list of scopes separated by single spaces, in printable ASCII without quotes or backslashes.',
        )
      }
    }
    return sorted.length === 0 ? ScopeSet.empty : new ScopeSet(new Set(sorted))
  }

  get size(): number {
    return this.#scopes.size
  }

  has(scope: string): boolean {
    return this.#scopes.has(scope)
  }

  isSubsetOf(other: ScopeSet): boolean {
    for (const scope of this.#scopes) if (!other.has(scope)) return false
    return true
  }

  minus(other: ScopeSet): ScopeSet {
    return ScopeSet.of(this.toArray().filter((scope) => !other.has(scope)))
  }

  union(other: ScopeSet): ScopeSet {
    return ScopeSet.of([...this.#scopes, ...other.#scopes])
  }

  equals(other: ScopeSet): boolean {
    return this.size === other.size && this.isSubsetOf(other)
  }

  toArray(): string[] {
    return [...this.#scopes]
  }

  toString(): string {
    return this.toArray().join(' ')
  }

  /** The wire format, so that the set itself can be a `scope` member. */
  toJSON(): string {
    return this.toString()
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#scopes.values()
  }
}
