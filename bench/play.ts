/** One HTTP request. `host` is the Host header. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * The requests for a contender, as plain data, because peers prepare theirs in their own process.
 *
 * - `repeat`: the requests again and again, distributed over the lanes
 * - `once`: every request one time, for codes and for revoked tokens
 * - `chain`: like `repeat`, but a request has the refresh token of its last answer
 */
export interface Play {
  readonly mode: 'repeat' | 'once' | 'chain'
  readonly requests: readonly HttpRequest[]
  readonly expect: number
  /** A text that a successful answer must contain. */
  readonly contains?: string
}

/** Each lane needs its own chain, so there are at least as many chains. */
export const MAX_LANES = 1000

/** Requests in the order in which one connection sends them. */
export interface Lane {
  next(): HttpRequest | undefined
  learn(answer: string): void
}

export function lanesOf(play: Play, count: number): readonly Lane[] {
  const queue = { position: 0 }
  return Array.from({ length: count }, (_, index) => {
    if (play.mode === 'chain') {
      return chains(play.requests.filter((_request, place) => place % count === index))
    }
    return {
      next: () => {
        const position = queue.position++
        return play.requests[play.mode === 'once' ? position : position % play.requests.length]
      },
      learn: () => undefined,
    }
  })
}

function chains(requests: HttpRequest[]): Lane {
  let last = -1
  return {
    next() {
      last = (last + 1) % requests.length
      return requests[last]
    },
    learn(answer) {
      const request = requests[last]
      const { refresh_token: token } = JSON.parse(answer) as { refresh_token?: string }
      if (token === undefined || request?.body === undefined) return
      const form = new URLSearchParams(request.body)
      form.set('refresh_token', token)
      requests[last] = { ...request, body: form.toString() }
    },
  }
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' } as const
export const JSON_BODY = { 'content-type': 'application/json' } as const

export function formPost(
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { ...FORM, ...headers },
    body: new URLSearchParams(form).toString(),
  }
}
