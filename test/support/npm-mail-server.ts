import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { whenFileIsDone } from './clean-up.ts'
import type { MailServer } from './mail-server.ts'
import { portOf } from './raw-http.ts'

/**
 * A mail server that others wrote, so that our mails are not judged by our own reading of the
 * protocol alone.
 */
export const npmMailServer: MailServer = async (deliver) => {
  const server = new SMTPServer({
    authOptional: true,
    // Its certificate would be its own, which the mailer refuses.
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData(stream, { envelope }, done) {
      buffer(stream).then((raw) => {
        const to = envelope.rcptTo.map(({ address }) => address)
        deliver({ to, raw: raw.toString('latin1') })
        done()
      }, done)
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenFileIsDone(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return portOf(server.server)
}
