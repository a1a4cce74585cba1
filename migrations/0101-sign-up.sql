-- A school may let people make their own account and become students.
alter table schools add column sign_up boolean not null default false;
comment on column schools.sign_up is 'whether people may sign up as students on the pages of the school';
