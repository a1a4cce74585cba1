import type { FormField } from '../resource.ts'

/** The last part of an object's web address; left empty, a new one gets it from its title. */
export function slugFrom(title: string): FormField {
  return {
    name: 'slug',
    label: 'Address',
    hint: `The last part of its web address: lower-case letters, digits and hyphens. Left empty, a new one gets it from its ${title}.`,
    suggest: { from: title, make: slugOf },
  }
}

/** Empty where a text has no letter that an address could have. */
export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-+|-+$/g, '')
}
