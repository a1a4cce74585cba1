import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { whenFileIsDone } from './clean-up.ts'
import { portOf } from './raw-http.ts'

interface Delivery {
  readonly to: readonly string[]
  /** One character per byte. */
  readonly raw: string
}

/** Takes mails, until the test file is done, and returns its port. */
export type MailServer = (deliver: (mail: Delivery) => void) => Promise<number>

/**
 * As much of a mail server (RFC 5321) as nodemailer asks for. It refuses mailboxes whose name
 * begins with `refused`, and loses the connection after the first mail to one that begins with
 * `lost`.
 * `npmMailServer` is a whole one, and waits a tenth of a second before it greets, for each mail.
 */
export const quickMailServer: MailServer = async (deliver) => {
  const lost = new Set<string>()
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    talk(socket, deliver, lost).catch(() => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenFileIsDone(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return portOf(server)
}

async function talk(
  socket: Socket,
  deliver: (mail: Delivery) => void,
  lost: Set<string>,
): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`)
  let to: string[] = []
  let content: string[] | undefined
  socket.setEncoding('latin1')
  say('220 localhost')
  for await (const line of createInterface({ input: socket })) {
    if (content === undefined) {
      const [, recipient] = /^RCPT TO:<([^<>\s]+@[^<>\s]+)>$/.exec(line) ?? []
      if (recipient !== undefined) to.push(recipient)
      if (line === 'DATA') content = []
      say(answerTo(line))
      if (line === 'QUIT') socket.end()
    } else if (line === '.') {
      deliver({ to, raw: content.join('\r\n') })
      const [first = ''] = to
      if (first.startsWith('lost') && !lost.has(first)) {
        lost.add(first)
        socket.destroy()
        return
      }
      to = []
      content = undefined
      say('250 kept')
    } else {
      // §4.5.2: a line that begins with a dot has one more.
      content.push(line.replace(/^\./, ''))
    }
  }
}

function answerTo(line: string): string {
  if (/^EHLO \S+$/.test(line)) return '250 localhost'
  if (/^MAIL FROM:<[^<>\s]+@[^<>\s]+>$/.test(line)) return '250 go on'
  if (line.startsWith('RCPT TO:<refused')) return '550 5.1.1 no such mailbox'
  if (line.startsWith('RCPT TO:<denied')) return '550 5.7.1 relaying denied'
  if (/^RCPT TO:<[^<>\s]+@[^<>\s]+>$/.test(line)) return '250 go on'
  if (line === 'DATA') return '354 go on'
  return line === 'QUIT' ? '221 bye' : '500 unknown'
}
