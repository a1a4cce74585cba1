import { createTransport } from 'nodemailer'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The words of `text` as HTML. */
  readonly html: string
  /** Stays when a mail is sent again, so that programs show it once (RFC 5322 §3.6.4). */
  readonly id: string
  /** Where a POST ends such mails (RFC 8058). */
  readonly unsubscribe?: string | undefined
}

/** The mail server took the connection and refused this address for good (RFC 5321 §4.2.1). */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
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
  // The address of the sender was checked when the configuration was read.
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
  return {
    async send({ to, subject, text, html, id, unsubscribe }) {
      // An object and not a string: nodemailer would parse a string as a list of addresses.
      const sending = transport.sendMail({
        ...{ from, to: { name: '', address: to }, subject, text, html },
        messageId: `<${id}@${domain}>`,
        headers: {
          // No answer by a machine, such as "I am on holiday".
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribe === undefined
            ? {}
            : {
                'List-Unsubscribe': `<${unsubscribe}>`,
                'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
              }),
        },
      })
      await sending.catch((error: unknown) => {
        throw isNoMailbox(error)
          ? new AddressRefused('the address was refused', { cause: error })
          : error
      })
    },
  }
}

interface SmtpError {
  readonly command?: string
  readonly responseCode?: number
  readonly response?: string
}

/** "Relaying denied" (554, or RFC 3463 §3.8: X.7) is about our server: it may be mended. */
function isNoMailbox(error: unknown): boolean {
  const { command, responseCode = 0, response = '' } = error as SmtpError
  const isRefused = command === 'RCPT TO' && [550, 551, 553].includes(responseCode)
  return isRefused && !response.includes(' 5.7.')
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
