-- A school may invite the people whom it adds. What the school sees of an invitation are times of its own membership row.
alter table schools add column invites_people boolean not null default false;
comment on column schools.invites_people is 'whether people whom the school adds get a mail that invites them';
alter table school_members add column invited_at timestamptz(3), add column invitation_opened_at timestamptz(3);
comment on column school_members.invited_at is 'when the school last asked for a mail that invites the person; whether one was sent is not told';
comment on column school_members.invitation_opened_at is 'when the link of an invitation was first opened';
