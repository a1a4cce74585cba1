/** One request as it goes over the wire. `host` is what a contender believes to be called as. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * What is sent to a contender, as plain data: peers prepare theirs in their own process.
 *
 * - `repeat`: the requests again and again, shared out among the lanes
 * - `once`: every request a single time, for codes and for tokens to be revoked
 * - `chain`: as `repeat`, where each time round a request has the refresh token of its last answer
 */
export interface Play {
  readonly mode: 'repeat' | 'once' | 'chain'
  readonly requests: readonly HttpRequest[]
  readonly expect: number
  /** Without which an answer of that status is none. */
  readonly contains?: string
}

/** A chain belongs to one lane, so there must be as many. */
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
