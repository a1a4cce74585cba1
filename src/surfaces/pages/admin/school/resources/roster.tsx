import { listRoster } from '../../../../../domain/consulting/study-group-operations.ts'
import { plainText } from '../../../../../foundation/html/plain-text.ts'
import { listPlan } from '../list-plan.ts'
import type { OutputOf, Show } from '../row.ts'
import { address, moment, text } from '../views/cells.tsx'

const takeOut: Show<OutputOf<typeof listRoster>['data'][number]> = ({ email, group_id, name }) => {
  if (!email) return undefined
  const path = `/admin/study-groups/${group_id}/remove-member`
  return (
    <a href={`${path}?member_id=${encodeURIComponent(email)}`}>
      Remove<span class="visually-hidden"> {plainText(name)}</span>
    </a>
  )
}

/** The members of a study group, who attend its classes. */
export const roster = listPlan({
  operation: listRoster,
  columns: [
    { label: 'Name', show: text('name') },
    { label: 'Email', show: address('email') },
    { label: 'Joined', show: moment('joined_at'), sort: 'joined_at' },
    { label: 'Change', show: takeOut },
  ],
  searchHint: 'Name or email',
  sorts: [
    ['-joined_at', 'Newest first'],
    ['joined_at', 'Oldest first'],
  ],
})
