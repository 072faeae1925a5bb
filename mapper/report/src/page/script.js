"use strict";(()=>{
// The pictures are complete without this script.
// The script describes what is under the pointer, zooms, and switches the theme.
const one=(s,e=document)=>e.querySelector(s),all=(s,e=document)=>[...e.querySelectorAll(s)],NS="http://www.w3.org/2000/svg";
const D=JSON.parse(one("#data").textContent),tip=one("#tip"),say=one("#say"),root=document.documentElement;
const safe=t=>String(t).replace(/[&<>"']/g,c=>"&#"+c.charCodeAt(0)+";");
const three=v=>v>=99.95?v.toFixed(0):v>=9.995?v.toFixed(1):v.toFixed(2);
const bytes=b=>{let u=0;while(b>=999.5&&u<5){b/=1e3;u++}return(u||b%1?three(b):b)+" "+["B","kB","MB","GB","TB","PB"][u]};
const seconds=s=>s>=1||s<=0?three(s)+" s":s*1e3>=.9995?three(s*1e3)+" ms":s*1e6>=.9995?three(s*1e6)+" µs":three(s*1e9)+" ns";
const load=v=>D.unit=="seconds"?seconds(v):bytes(v);
const count=n=>n.toLocaleString("en");

// The description under the pointer: its text, its position, and the marks that belong to it.
function show(html,x,y,aloud){tip.innerHTML=html;const b=tip.getBoundingClientRect();
  tip.style.left=Math.max(6,Math.min(x+16,innerWidth-b.width-8))+"px";
  tip.style.top=(y+18+b.height>innerHeight?Math.max(6,y-b.height-12):y+18)+"px";
  tip.style.opacity=1;if(aloud)say.textContent=tip.innerText.replace(/\s+/g," ")}
function clear(){all(".cross,.spot,.hot").forEach(e=>e.remove());all(".me,.peer").forEach(e=>e.classList.remove("me","peer"))}
function hide(){tip.style.opacity=0;clear()}
function add(parent,cls,d){const p=document.createElementNS(NS,"path");p.setAttribute("class",cls);p.setAttribute("d",d);parent.append(p);return p}

// Pairs of ranks: the index of a pair by sender and receiver.
const entry=new Map();if(D.rows){let k=0;D.rows.forEach((row,i)=>{let j=-1;for(const d of row){j+=d;entry.set(i*D.n+j,k++)}})}
const peers=(i,f)=>{let j=-1;for(const d of D.rows[i]){j+=d;f(j,D.bytes[entry.get(i*D.n+j)])}};
const place=D.place&&D.place[0]&&D.place[0].length?D.place:[Array.from({length:D.n},(_,r)=>r)];
const rankAt=place.map(s=>{const a=[];s.forEach((p,r)=>a[p]=r);return a});
const nodeOf=[];if(D.node){let n=0;D.node.forEach(d=>nodeOf.push(n+=d))}
const node=(w,r)=>nodeOf[place[w][r]],nodeName=n=>D.vertices?D.vertices[n]:"node "+n;

// Matrices of pairs: the pair under the pointer is marked on all sides; a click zooms in on the
// pointer.
const ms=all("svg.m");
function cross(i,j){ms.forEach(m=>{const w=+m.dataset.w,a=place[w][i]+.5,b=place[w][j]+.5;add(one("svg.in",m),"cross",`M0 ${a}H${D.places}M${b} 0V${D.places}`)})}
function spots(pairs){ms.forEach(m=>{const w=+m.dataset.w,s=Math.max(1,D.places/60);let d="";
  for(const[i,j]of pairs){const x=place[w][j]+.5,y=place[w][i]+.5;d+=`M${x-s} ${y-s}h${2*s}v${2*s}h${-2*s}z`}add(one("svg.in",m),"spot",d)})}
function pair(w,i,j,x,y,aloud){clear();if(i==null||j==null){show("<span>no rank here</span>",x,y);return}
  cross(i,j);const e=entry.get(i*D.n+j);
  let h=`<b>rank ${i} → rank ${j}</b><br>`+(i==j?"<span>itself</span>":e==null?"<span>nothing sent</span>":bytes(D.bytes[e])+(D.msgs?` in ${count(D.msgs[e])} messages`:""));
  if(nodeOf.length)h+="<table>"+D.names.map((n,v)=>{const a=node(v,i),b=node(v,j);return`<tr><td><span>${safe(n)}</span><td>${safe(nodeName(a))}${a==b?" <span>same node</span>":" → "+safe(nodeName(b))}`}).join("")+"</table>";
  show(h,x,y,aloud)}
ms.forEach(m=>{const w=+m.dataset.w,N=D.places,inner=one("svg.in",m),area=one(".hit",m);let at=[0,0];m.view=[0,0,N,N];
  const cell=e=>{const g=area.getBoundingClientRect(),v=m.view;return[Math.floor(v[1]+(e.clientY-g.top)/g.height*v[3]),Math.floor(v[0]+(e.clientX-g.left)/g.width*v[2])]};
  m.addEventListener("pointermove",e=>{const[r,c]=cell(e);if(r<0||c<0||r>=N||c>=N)return hide();at=[r,c];pair(w,rankAt[w][r],rankAt[w][c],e.clientX,e.clientY)});
  m.addEventListener("pointerleave",hide);m.addEventListener("blur",hide);
  const zoom=(r,c)=>{const out=m.view[2]<N,s=N/4,from=p=>Math.max(0,Math.min(N-s,Math.round(p+.5-(p+.5)/N*s))),v=out?[0,0,N,N]:[from(c),from(r),s,s];
    ms.forEach(q=>{q.view=v;one("svg.in",q).setAttribute("viewBox",v.join(" "));one(".axl",q).style.opacity=out?1:0})};
  m.addEventListener("click",e=>{const[r,c]=cell(e);if(r>=0&&c>=0&&r<N&&c<N)zoom(r,c)});
  m.addEventListener("keydown",e=>{const d={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]}[e.key];
    if(d){const s=e.shiftKey?8:1;at=at.map((p,k)=>Math.max(0,Math.min(N-1,p+d[k]*s)));const g=area.getBoundingClientRect(),v=m.view;
      pair(w,rankAt[w][at[0]],rankAt[w][at[1]],g.left+(at[1]+.5-v[0])/v[2]*g.width,g.top+(at[0]+.5-v[1])/v[3]*g.height,1);e.preventDefault()}
    else if(e.key=="Enter"||e.key==" "){zoom(...at);e.preventDefault()}else if(e.key=="Escape"){if(m.view[2]<N)zoom(0,0);hide()}})});

// Drawings of links: the link nearest to the pointer is computed, and marked on all sides.
for(const p in D.at||{})for(const s of D.at[p]){let l=0;for(const q of s){q[0]=l+=q[0];for(let k=3;k<q.length;k++)q[k]+=q[k-2]}}
const spot=(p,w)=>{const s=(D.at||{})[p]||[[]];return s[w]||s[0]};
function near(list,x,y){let best=null,least=9;for(const q of list){for(let k=1;k+1<q.length;k+=2){const x0=q[k]/10,y0=q[k+1]/10,x1=(q[k+2]??q[k])/10,y1=(q[k+3]??q[k+1])/10,dx=x1-x0,dy=y1-y0,l=dx*dx+dy*dy,
  t=l?Math.max(0,Math.min(1,((x-x0)*dx+(y-y0)*dy)/l)):0,d=Math.hypot(x-x0-t*dx,y-y0-t*dy);if(d<least){least=d;best=q}}}return best}
function mark(l){all(".mach").forEach(g=>{let d="";for(const q of spot(g.dataset.p,+g.dataset.w))if(q[0]==l){const s=[];for(let k=1;k<q.length;k+=2)s.push(q[k]/10+" "+q[k+1]/10);
  d+="M"+s.join("L")+(s.length==1?"h.1":"")}if(d)add(g,"hot",d)})}
function link(w,l,x,y){clear();mark(l);const b=(D.busy[w]||{})[l];
  let h=`<b>${safe(D.vertices[D.ends[2*l]])} → ${safe(D.vertices[D.ends[2*l+1]])}</b><br>`+D.names.map((n,v)=>`${safe(n)} ${load(D.load[v][l])}`).join(" · ");
  if(b){spots(b[1]);h+="<table>"+b[1].slice(0,3).map(q=>`<tr><td>rank ${q[0]} → ${q[1]}<td>${bytes(q[2])}`).join("")+(b[0]>3?`<tr><td colspan=2><span>and ${count(b[0]-3)} more pairs</span>`:"")+"</table>"}
  show(h,x,y)}
function atNode(w,n,x,y){clear();const rs=[];rankAt[w].forEach((r,p)=>{if(r!=null&&nodeOf[p]==n)rs.push(r)});let out=0,inside=0;const to=new Set();
  if(D.rows)rs.forEach(r=>peers(r,(j,b)=>{const t=node(w,j);if(t==n)inside+=b;else{out+=b;to.add(t)}}));
  if(D.rows)all(".mach").forEach(g=>{const v=+g.dataset.w,me=new Set(rs.map(r=>node(v,r))),th=new Set();rs.forEach(r=>peers(r,j=>th.add(node(v,j))));
    all("[data-n]",g).forEach(e=>{const k=+e.dataset.n;e.classList.toggle("me",me.has(k));e.classList.toggle("peer",!me.has(k)&&th.has(k))})});
  const named=rs.slice(0,12).join(", ")+(rs.length>12?` and ${rs.length-12} more`:"");
  show(`<b>${safe(nodeName(n))}</b><br>`+(rs.length?`rank${rs.length>1?"s":""} ${named}`:"no rank")+(D.rows&&rs.length?`<br><span>sends ${bytes(out)} to ${to.size} other node${to.size==1?"":"s"}${inside?`, ${bytes(inside)} inside`:""}</span>`:""),x,y)}
all(".mach").forEach(g=>{const w=+g.dataset.w;g.addEventListener("pointermove",e=>{const n=e.target.closest("[data-n]");if(n)return atNode(w,+n.dataset.n,e.clientX,e.clientY);
  const p=new DOMPoint(e.clientX,e.clientY).matrixTransform(g.getScreenCTM().inverse()),q=near(spot(g.dataset.p,w),p.x,p.y);if(q)link(w,q[0],e.clientX,e.clientY);else hide()});
  g.addEventListener("pointerleave",hide)});
all("tr[data-l]").forEach(t=>{const f=()=>{clear();const l=+t.dataset.l,b=(D.busy[+t.dataset.w]||{})[l];mark(l);if(b)spots(b[1])};
  for(const e of["pointerenter","focus"])t.addEventListener(e,f);for(const e of["pointerleave","blur"])t.addEventListener(e,clear)});

// Enlarged drawings: all of a section scroll together, and another size keeps the middle. The
// reader has scrolled a drawing if its position is not the one that this script gave it.
all(".sizes").forEach(g=>{const pans=all(".pan",g),at=[.5,.5],put=new Map(),stand=p=>put.set(p,p.scrollLeft+" "+p.scrollTop);
  const go=p=>{p.scrollLeft=at[0]*p.scrollWidth-p.clientWidth/2;p.scrollTop=at[1]*p.scrollHeight-p.clientHeight/2;stand(p)};
  pans.forEach(p=>p.addEventListener("scroll",()=>{hide();if(put.get(p)==p.scrollLeft+" "+p.scrollTop)return;stand(p);
    at[0]=(p.scrollLeft+p.clientWidth/2)/p.scrollWidth;at[1]=(p.scrollTop+p.clientHeight/2)/p.scrollHeight;pans.forEach(q=>q==p||go(q))},{passive:true}));
  all("input",g).forEach(i=>i.addEventListener("change",()=>pans.forEach(go)))});

// Pictures made of points: values are read from colours. The dark theme needs them painted again.
const value={};for(const r in D.pal){value[r]=new Map();for(let v=0;v<255;v++)value[r].set(parseInt(D.pal[r].slice(6*v,6*v+6),16),v+1)}
const dark=()=>root.dataset.theme?root.dataset.theme=="dark":matchMedia("(prefers-color-scheme:dark)").matches;
async function paint(img){if(!img.values){await img.decode();const c=document.createElement("canvas");c.width=img.naturalWidth;c.height=img.naturalHeight;const x=c.getContext("2d",{willReadFrequently:true});x.drawImage(img,0,0);
    const d=x.getImageData(0,0,c.width,c.height),m=value[img.dataset.ramp];img.values=new Uint8Array(c.width*c.height);
    for(let k=0;k<img.values.length;k++)img.values[k]=d.data[4*k+3]?m.get(d.data[4*k]<<16|d.data[4*k+1]<<8|d.data[4*k+2])||0:0;
    c.className="ras";c.setAttribute("role","img");c.setAttribute("aria-label",img.alt);img.canvas=c;for(const e of["pointermove","pointerleave"])for(const o of[img,c])o.addEventListener(e,e=="pointermove"?v=>point(img,o,v):hide)}
  const c=img.canvas;if(!dark()){c.remove();return}
  const css=getComputedStyle(root),ramp=[];for(let q=0;q<9;q++){const h=css.getPropertyValue(`--${img.dataset.ramp}${q}`).trim();ramp.push([1,3,5].map(o=>parseInt(h.slice(o,o+2),16)))}
  const x=c.getContext("2d"),d=x.createImageData(c.width,c.height);
  img.values.forEach((v,k)=>{if(v){const t=(v-1)/254*8,a=Math.min(7,Math.floor(t)),f=t-a;for(let o=0;o<3;o++)d.data[4*k+o]=ramp[a][o]+(ramp[a+1][o]-ramp[a][o])*f;d.data[4*k+3]=255}});
  x.putImageData(d,0,0);if(!c.isConnected)img.before(c)}
function point(img,on,e){const g=on.getBoundingClientRect(),W=img.naturalWidth,H=img.naturalHeight,x=Math.min(W-1,Math.floor((e.clientX-g.left)/g.width*W)),y=Math.min(H-1,Math.floor((e.clientY-g.top)/g.height*H)),v=img.values[y*W+x],s=img.dataset;
  if(s.change){const n=+s.each,span=k=>n==1?"rank "+k:`ranks ${k*n}–${Math.min(+s.last,k*n+n-1)}`,off=v-128,t=s.high==s.low?1:(Math.abs(off)-s.change)/(127-s.change);
    show(`<b>${span(y)} → ${span(x)}</b><br>`+(v?`about ${bytes(s.low*Math.pow(s.high/s.low,t))} ${off>0?"more":"less"}`:"<span>no difference</span>"),e.clientX,e.clientY)}
  else if(s.low){const n=+s.each,span=k=>n==1?k:`${k*n}–${Math.min(D.places,k*n+n)-1}`,w=+s.w,who=k=>n==1&&rankAt[w]&&rankAt[w].length?(rankAt[w][k]==null?"no rank":"rank "+rankAt[w][k]):"places "+span(k);
    show(`<b>${who(y)} → ${who(x)}</b><br>`+(v?"about "+bytes(s.low*Math.pow(s.high/s.low,(v-1)/254)):"<span>nothing sent</span>"),e.clientX,e.clientY)}
  else{let what="";if(s.groups)what=x==y?`within ${y}`:`from ${y} to ${x}`;else{const[h,w,t]=s.slice.split(",").map(Number);what=`slice ${Math.floor(y/h)*t+Math.floor(x/w)}, row ${y%h}, column ${x%w}`}
    show(`<b>${what}</b><br>`+(v?"about "+load(s.top*(v-1)/254):"<span>idle</span>"),e.clientX,e.clientY)}}
const pictures=()=>all("img.ras").forEach(paint);pictures();
matchMedia("(prefers-color-scheme:dark)").addEventListener("change",pictures);

// Elements with a description of their own, the copy buttons of commands, and the theme.
all("[data-t]").forEach(e=>{e.addEventListener("pointermove",v=>show(safe(e.dataset.t).replace(/\|/g,"<br>"),v.clientX,v.clientY));e.addEventListener("pointerleave",hide)});
all("button.copy").forEach(b=>b.onclick=async()=>{const t=one("code",b.parentNode);try{await navigator.clipboard.writeText(t.textContent)}
  catch{const r=document.createRange();r.selectNodeContents(t);const s=getSelection();s.removeAllRanges();s.addRange(r);document.execCommand("copy")}b.textContent="copied";setTimeout(()=>b.textContent="copy",1200)});
one("#theme").onclick=()=>{root.dataset.theme=dark()?"light":"dark";pictures()};
addEventListener("scroll",hide,{passive:true})})();
