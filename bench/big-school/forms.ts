import { FORM } from '../play.ts'
import type { Answered, Asking } from './asking.ts'

type Headers = Readonly<Record<string, string>>

/** Opens a page and sends its form, with the hidden fields that are in it. */
export async function submitForm(
  asking: Asking,
  headers: Headers,
  page: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answered> {
  const { status, text } = await asking.ask({ path: page, headers })
  if (status !== 200) return { status, text }
  const form = /<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g
  const [, action = page, inside = ''] =
    [...text.matchAll(form)].find(([, to = '']) => to.startsWith(page.split('?')[0] ?? page)) ?? []
  const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  const body = new URLSearchParams([
    ...hidden.map(([, name = '', value = '']): [string, string] => [name, value]),
    ...Object.entries(fields),
  ])
  const origin = `http://${headers.host}`
  return await asking.ask({
    method: 'POST',
    path: action.replaceAll('&amp;', '&'),
    headers: { ...headers, ...FORM, origin },
    body: body.toString(),
  })
}
