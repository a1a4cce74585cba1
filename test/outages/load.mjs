// Sends one kind of request over many connections at once, each as soon as the last one is
// answered, for some seconds. Reads its orders as JSON from standard input and writes figures as
// JSON. Written on bare sockets, so that one core of it is faster than the server on the other one.
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

/**
 * @typedef {{ port: number, connections: number, seconds: number, serverCore: number,
 * warmUpSeconds: number, patient?: boolean, chain: boolean, expect: number, requests: { head:
 * string, body: string }[] }} Orders
 */

/** @type {Orders} */
const orders = JSON.parse(readFileSync(0, 'utf8'))
const HEAD_END = Buffer.from('\r\n\r\n')
const MOST_OPENING_MS = 20_000
/** In a second, as `/proc` counts on every Linux that Node supports. */
const CLOCK_TICKS = 100
const REFRESH_TOKEN = /"refresh_token":"([^"]+)"/

/** By status: milliseconds of each answer. 0 stands for a lost connection. */
const times = new Map()
const oddities = new Set()
let counting = false
let running = true
let retryAfterMissing = 0
/** Connections that had an answer. */
let served = 0
/** Good answers since the start, counted or not. */
let allGood = 0

function note(status, milliseconds, head, body) {
  if (status === orders.expect) allGood++
  if (!counting) return
  const known = times.get(status) ?? []
  times.set(status, known)
  known.push(milliseconds)
  if (status === 503 && !/^retry-after: /im.test(head)) retryAfterMissing++
  if (status !== orders.expect && status !== 503 && oddities.size < 3)
    oddities.add(`${status} ${body.slice(0, 200)}`)
}

class Connection {
  #request
  #socket
  #bytes = Buffer.alloc(0)
  #sentAt = 0
  #isServed = false
  #ended

  constructor(request, ended) {
    this.#request = request
    this.#ended = ended
    this.#open()
  }

  #open() {
    this.#bytes = Buffer.alloc(0)
    this.#socket = connect(orders.port, '127.0.0.1')
    this.#socket.setNoDelay(true)
    this.#socket.on('connect', () => this.#send())
    this.#socket.on('data', (chunk) => this.#receive(chunk))
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => this.#lost())
  }

  #send() {
    if (!running) return this.#socket.end()
    this.#sentAt = performance.now()
    const { head, body } = this.#request
    this.#socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }

  #lost() {
    if (!running) return this.#ended()
    note(0, performance.now() - this.#sentAt, '', '')
    setTimeout(() => this.#open(), 100)
  }

  #receive(chunk) {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    const headEnd = this.#bytes.indexOf(HEAD_END)
    if (headEnd === -1) return
    const head = this.#bytes.latin1Slice(0, headEnd)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)
    const isWhole =
      length === null
        ? this.#bytes.latin1Slice(-5) === '0\r\n\r\n'
        : this.#bytes.length >= headEnd + 4 + Number(length[1])
    if (!isWhole) return
    const body = this.#bytes.utf8Slice(headEnd + 4)
    this.#bytes = Buffer.alloc(0)
    this.#answered(Number(head.slice(9, 12)), head, body)
  }

  #answered(status, head, body) {
    if (!this.#isServed) served++
    this.#isServed = true
    note(status, performance.now() - this.#sentAt, head, body)
    if (status === orders.expect && orders.chain) this.#goOn(body)
    const pause =
      orders.patient && status === 503 ? Number(/retry-after: (\d+)/i.exec(head)?.[1] ?? 0) : 0
    if (pause > 0 && running) setTimeout(() => this.#send(), pause * 1000)
    else this.#send()
  }

  /** The next refresh is with the new token. */
  #goOn(body) {
    const token = REFRESH_TOKEN.exec(body)?.[1]
    if (token === undefined) return
    const next = this.#request.body.replace(/refresh_token=[^&]+/, `refresh_token=${token}`)
    this.#request = { head: this.#request.head, body: next }
  }
}

/**
 * Seconds since the start of the machine in which its host ran others instead of the server's core.
 */
function stolenSeconds() {
  const line = readFileSync('/proc/stat', 'utf8').match(
    new RegExp(`^cpu${orders.serverCore} (.*)$`, 'm'),
  )
  return Number(line?.[1].split(' ')[7] ?? 0) / CLOCK_TICKS
}

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))
const closed = []
for (let n = 0; n < orders.connections; n++) {
  const request = orders.requests[n % orders.requests.length]
  closed.push(new Promise((resolve) => new Connection(request, resolve)))
  // In groups that fit into the backlog of a listening socket.
  if (n % 100 === 99) await sleep(0.02)
}
// A server accepts one connection in each turn of its event loop, so many at once wait, but only
// once.
const openedAt = performance.now()
while (served < orders.connections && performance.now() - openedAt < MOST_OPENING_MS)
  await sleep(0.1)
const openingSeconds = Math.round((performance.now() - openedAt) / 100) / 10
await sleep(orders.warmUpSeconds)
const before = process.cpuUsage()
const startedAt = performance.now()
const stolenBefore = stolenSeconds()
counting = true
await sleep(orders.seconds)
counting = false
const wholeSeconds = (performance.now() - startedAt) / 1000
const stolen = Math.min(stolenSeconds() - stolenBefore, wholeSeconds)
/** That the server had. */
const seconds = wholeSeconds - stolen
const { user, system } = process.cpuUsage(before)
running = false
await Promise.race([Promise.all(closed), sleep(6)])

const answers = Object.fromEntries(
  [...times].map(([status, all]) => {
    all.sort((a, b) => a - b)
    const at = (share) => Math.round((all[Math.floor(all.length * share)] ?? 0) * 10) / 10
    const perSecond = Math.round(all.length / seconds)
    return [status, { perSecond, p50: at(0.5), p99: at(0.99), most: at(0.999999) }]
  }),
)
const ownCpu = Math.round((user + system) / 1e4 / wholeSeconds)
process.stdout.write(
  `${JSON.stringify({ answers, openingSeconds, allGood, ownCpu, stolenPercent: Math.round((100 * stolen) / wholeSeconds), retryAfterMissing, oddities: [...oddities] })}\n`,
)
process.exit(0)
