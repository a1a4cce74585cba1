import type { Notices } from '../../../site-frame.ts'
import { capitalized } from '../../../views/words.ts'
import type { AdminResource } from '../resource.ts'

/** The notices after a post, by the key in the address. */
export function noticesOf(resource: AdminResource): Notices {
  const { actions, related = [] } = resource
  return {
    created: `${capitalized(resource.one)} created.`,
    saved: 'Saved.',
    started: 'This takes a while. You can leave the page: the work goes on.',
    selected: 'Done with all selected rows.',
    'selected-one': 'Done with the selected row.',
    uploaded: 'The file is in place.',
    ...Object.fromEntries(
      related
        .filter(({ of }) => of.created !== undefined)
        .map(({ of }) => [createdKey(of), of.created]),
    ),
    ...Object.fromEntries(actions.map(({ path, done }) => [path, done])),
  }
}

/** An object without a page of its own is reported on the page of its parent. */
export function createdKey({ created, path }: AdminResource): string {
  return created === undefined ? 'created' : `created-${path}`
}
