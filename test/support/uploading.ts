import { type Answer, hiddenFields, type Visitor } from './browser-like.ts'

export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

export interface SentFile {
  readonly name?: string
  readonly type?: string
  readonly bytes?: Buffer
  readonly token?: string
  readonly field?: string
  /** Fields before the file. */
  readonly fields?: Readonly<Record<string, string>>
}

/** Sends a file as a browser does: first the form token, then the file. */
export async function uploadTo(visitor: Visitor, path: string, sent: SentFile): Promise<Answer> {
  const token =
    sent.token ?? hiddenFields((await visitor.get('/account')).body, '/sign-out').form_token ?? ''
  const { name = 'logo.png', type = 'image/png', bytes = PNG, field = 'file' } = sent
  const fields = Object.entries({ form_token: token, ...sent.fields }).map(
    ([key, value]) => `--xyz\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  )
  const head = `${fields.join('')}--xyz\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`
  const payload = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--xyz--\r\n')])
  return await visitor.send(path, payload, { 'content-type': 'multipart/form-data; boundary=xyz' })
}
