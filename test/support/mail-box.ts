import { createServer, type Socket } from 'node:net'
import { whenFileIsDone } from './clean-up.ts'

export interface ReceivedMail {
  readonly to: string
  readonly text: string
}

export interface MailBox {
  /** The value for `SMTP_URL`. */
  readonly url: string
  /** Takes the next mail, and waits for it if there is none. */
  take(): Promise<ReceivedMail>
  /** The number of mails that are not taken yet. */
  readonly waiting: number
}

/** A mail server that keeps its mails, with the necessary part of RFC 5321. */
export async function aMailBox(): Promise<MailBox> {
  const kept: ReceivedMail[] = []
  const takers: ((mail: ReceivedMail) => void)[] = []
  const server = createServer((socket) => {
    converse(socket, (mail) => {
      const taker = takers.shift()
      if (taker === undefined) kept.push(mail)
      else taker(mail)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenFileIsDone(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    take: () => {
      const mail = kept.shift()
      return mail !== undefined
        ? Promise.resolve(mail)
        : new Promise((resolve) => takers.push(resolve))
    },
    get waiting() {
      return kept.length
    },
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
