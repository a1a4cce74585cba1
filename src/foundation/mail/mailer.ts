import { createTransport } from 'nodemailer'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The words of `text` as HTML. */
  readonly html: string
}

/** Sends mail, or rejects. The caller decides whether a request waits for it. */
export interface Mailer {
  send(mail: Mail): Promise<void>
}

const TIMEOUT_MS = 20_000

/**
 * Sends through a mail server. `smtp://` uses TLS if the server offers it, `smtps://` requires it.
 */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // Only what is given: no part of a mail may make nodemailer read a file or fetch a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text, html }) {
      // An object and not a string: nodemailer would parse a string as a list of addresses.
      await transport.sendMail({
        ...{ from, to: { name: '', address: to }, subject, text, html },
        // No answer by a machine, such as "I am on holiday".
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    },
  }
}

interface Log {
  info(message: string): void
}

/** For the demo world on a developer's machine: mails go to the log. */
export function logMailer(log: Log): Mailer {
  return {
    async send({ to, subject, text }) {
      log.info(`Mail to ${to}: ${subject}\n${text}`)
    },
  }
}
