import type { Answer, Visitor } from './browser-like.ts'
import { hiddenFields } from './browser-like.ts'

/** Fields of a form, as an operator fills them in. */
export type Typed = Readonly<Record<string, string | readonly string[]>>

/** The browser of an owner or admin in the admin area of a school. */
export class AdminBrowser {
  readonly #visitor: Visitor

  constructor(visitor: Visitor) {
    this.#visitor = visitor
  }

  async page(path: string): Promise<string> {
    const answer = await this.#visitor.get(path)
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`)
    return answer.body
  }

  async get(path: string): Promise<Answer> {
    return await this.#visitor.get(path)
  }

  /** Opens a form, runs `meanwhile`, then sends the form. */
  async meanwhile(path: string, typed: Typed, happen: () => Promise<unknown>): Promise<Answer> {
    const html = await this.page(path)
    await happen()
    return await this.fill(html, path, typed)
  }

  /** Opens a form, keeps its values except the given ones, and sends it. */
  async send(path: string, typed: Typed = {}): Promise<Answer> {
    return await this.fill(await this.page(path), path, typed)
  }

  /** Sends a form that its page does not offer, as an old tab or an attacker does. */
  async force(path: string, typed: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { form_token = '' } = hiddenFields(await this.page(path), '/sign-out')
    return await this.#visitor.post(path, { form_token, ...typed })
  }

  /** Sends the form of a page that is open already. */
  async fill(html: string, path: string, typed: Typed): Promise<Answer> {
    const filled = { ...currentValues(html, path), ...nameAskedFor(html), ...typed }
    const fields = Object.entries(filled).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : value.map((one) => [name, one]),
    ) as [string, string][]
    return await this.#visitor.post(path, [...Object.entries(hiddenFields(html, path)), ...fields])
  }

  /** Sends a form that must be accepted, and opens the page that it redirects to. */
  async done(path: string, typed: Typed = {}): Promise<{ path: string; body: string }> {
    const answer = await this.send(path, typed)
    if (answer.statusCode !== 303) {
      throw new Error(`${path} answered ${answer.statusCode}: ${errorsIn(answer.body).join(' | ')}`)
    }
    const [to = ''] = String(answer.headers.location).split('?')
    return { path: to, body: await this.page(String(answer.headers.location)) }
  }

  /** Makes an object of the kind `name` and returns the path of its page, which `list` shows. */
  async make(
    { list, form, good }: { readonly list: string; readonly form: string; readonly good: Typed },
    name: string,
  ): Promise<{ path: string; body: string }> {
    const shown = async () => {
      const found = (await this.page(list)).matchAll(
        new RegExp(`href="(/admin/${name}/[0-9a-f-]{36})"`, 'g'),
      )
      return [...found].map(([, path = '']) => path)
    }
    const before = new Set(await shown())
    const { body } = await this.done(form, good)
    const path = (await shown()).find((one) => !before.has(one))
    if (path === undefined) throw new Error(`${list} does not show the new object`)
    return { path, body }
  }
}

/** The name that a page asks to type before something dangerous. */
export function nameAskedFor(html: string): Record<string, string> {
  const name = /id="confirm_name-hint"[^>]*>([^<]*)</.exec(html)?.[1]
  return name === undefined ? {} : { confirm_name: unescaped(name) }
}

export function errorsIn(html: string): string[] {
  return [...html.matchAll(/class="field-error">([^<]*)</g)].map(([, words = '']) => words)
}

/** The ids of fields that a page marks as wrong. */
export function wrongFields(html: string): string[] {
  return [...html.matchAll(/id="([a-z_]+)-error"/g)].map(([, name = '']) => name)
}

/** The values that a browser sends for an unchanged form. */
export function currentValues(html: string, action: string): Record<string, string | string[]> {
  const form = [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].find(([, tag = '']) =>
    tag.includes(`action="${action}"`),
  )
  const body = form?.[2] ?? ''
  const found: Record<string, string | string[]> = {}
  for (const [tag] of body.matchAll(/<input\b[^>]*>/g)) {
    const name = attribute(tag, 'name') ?? ''
    const type = attribute(tag, 'type')
    if (name === '' || type === 'hidden' || type === 'file') continue
    if (type !== 'checkbox') found[name] = attribute(tag, 'value') ?? ''
    else if (/\schecked/.test(tag)) {
      found[name] = [
        ...((found[name] as string[] | undefined) ?? []),
        attribute(tag, 'value') ?? '',
      ]
    }
  }
  for (const [, tag = '', text = ''] of body.matchAll(
    /<textarea\b([^>]*)>([\s\S]*?)<\/textarea>/g,
  )) {
    found[attribute(tag, 'name') ?? ''] = unescaped(text.replace(/^\n/, ''))
  }
  for (const [, tag = '', options = ''] of body.matchAll(
    /<select\b([^>]*)>([\s\S]*?)<\/select>/g,
  )) {
    const chosen = /<option\b[^>]*\sselected[^>]*>/.exec(options)?.[0] ?? ''
    found[attribute(tag, 'name') ?? ''] = attribute(chosen, 'value') ?? ''
  }
  return found
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : unescaped(value)
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
