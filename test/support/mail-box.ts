import { EventEmitter, once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { vi } from 'vitest'
import { whenFileIsDone } from './clean-up.ts'
import { eventually } from './eventually.ts'
import type { World } from './world.ts'

export interface ReceivedMail {
  readonly to: string
  readonly text: string
}

export interface MailBox {
  /** The value for `SMTP_URL`. */
  readonly url: string
  /** Takes the next mail to this person that contains these words, and waits for it if there is none. */
  take(to: string, words?: string): Promise<ReceivedMail>
  /** The mails to this person that are not taken yet. */
  waitingFor(to: string): readonly ReceivedMail[]
}

/** Waits until every mail that was asked for is sent or dropped. */
export async function untilSent(world: World): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await world.database.pool.query('select 1 from outgoing_mails')
    if (rows.length > 0) throw new Error(`${rows.length} mails wait`)
  }, eventually)
}

/** A mail server that keeps its mails, with the necessary part of RFC 5321. */
export async function aMailBox(): Promise<MailBox> {
  const kept: ReceivedMail[] = []
  const post = new EventEmitter().setMaxListeners(0)
  const server = createServer((socket) => {
    converse(socket, (mail) => {
      kept.push(mail)
      post.emit('mail')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenFileIsDone(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    async take(to, words = '') {
      for (;;) {
        const place = kept.findIndex((mail) => mail.to === to && mail.text.includes(words))
        const [mail] = place === -1 ? [] : kept.splice(place, 1)
        if (mail !== undefined) return mail
        await once(post, 'mail')
      }
    },
    waitingFor: (to) => kept.filter((mail) => mail.to === to),
  }
}

function converse(socket: Socket, receive: (mail: ReceivedMail) => void): void {
  let buffer = ''
  let to = ''
  let inData = false
  const say = (line: string) => socket.write(`${line}\r\n`)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    buffer += chunk.toString('utf8')
    for (;;) {
      const mark = inData ? '\r\n.\r\n' : '\r\n'
      const end = buffer.indexOf(mark)
      if (end === -1) return
      const text = buffer.slice(0, end)
      buffer = buffer.slice(end + mark.length)
      if (inData) {
        inData = false
        receive({ to, text: decode(text) })
        say('250 kept')
        continue
      }
      const verb = text.slice(0, 4).toUpperCase()
      if (verb === 'RCPT') to = /<([^>]*)>/.exec(text)?.[1] ?? ''
      if (verb === 'DATA') inData = true
      if (verb === 'DATA') say('354 go on')
      else if (verb === 'QUIT') socket.end('221 bye\r\n')
      else say('250 fine')
    }
  })
  say('220 ready')
}

/** Decodes quoted-printable, the encoding of mails with long lines. */
function decode(text: string): string {
  return text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
