import type { FormField } from '../field.ts'

/** The last part of an object's web address. If it is empty, a new object gets it from its title. */
export function slugFrom<N extends string>(title: N): FormField<'slug' | N, unknown> {
  return {
    name: 'slug',
    label: 'Address',
    hint: `The last part of its web address: lower-case letters, digits and hyphens. If you leave it empty, a new one gets a free one from its ${title}.`,
    suggest: { from: title, make: slugOf },
  }
}

/** Empty if the text has no letter or digit that an address can have; the form then makes one up. */
export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-|-$/g, '')
}
