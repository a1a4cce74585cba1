import { ListBody, type ListBodyProps } from '../list-body.tsx'
import type { SiteFrame } from '../site-layout.tsx'
import { memberPage } from './member-page.tsx'

interface MemberListProps<Row> extends SiteFrame, ListBodyProps<Row> {
  script?: string | undefined
}

/** A list of what a member has, one page of it. */
export function memberList<Row>(props: MemberListProps<Row>): string {
  return memberPage({ ...props, children: <ListBody {...props} /> })
}
