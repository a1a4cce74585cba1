import { createTransport } from 'nodemailer'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mail, or rejects; whoever calls it decides whether anybody waits for that. */
export interface Mailer {
  send(mail: Mail): Promise<void>
}

const TIMEOUT_MS = 20_000

/** Through a mail server; `smtp://` upgrades to TLS where the server offers it, `smtps://` demands it. */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // A mail is made of text alone: nothing in it may make us read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text }) {
      // An object, not a string: an address is never parsed as a list of several.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
    },
  }
}

interface Log {
  info(message: string): void
}

/** For a demo world on somebody's own machine: the log is where they look. */
export function logMailer(log: Log): Mailer {
  return {
    async send({ to, subject, text }) {
      log.info(`Mail to ${to}: ${subject}\n${text}`)
    },
  }
}
