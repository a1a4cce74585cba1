import type { Notices } from '../../../site-frame.ts'
import type { AdminResource } from '../resource.ts'
import { capitalized } from '../views/words.ts'

/** What pages say after a post, by the key in the address. */
export function noticesOf({ one, actions }: AdminResource): Notices {
  return {
    created: `${capitalized(one)} created.`,
    saved: 'Saved.',
    uploaded: 'The file is in place.',
    ...Object.fromEntries(actions.map(({ path, done }) => [path, done])),
  }
}
